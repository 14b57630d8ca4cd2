package strategy

import "gopher/internal/arenav1"

const (
	clubs = iota
	diamonds
	hearts
	spades
	jokers
)

// suit is the suit of a card, -1 for no card.
func suit(card arenav1.Card) int {
	if card < 1 {
		return -1
	}
	return min(int(card-1)/13, jokers)
}

// rank is 1 (ace) to 13 (king), 0 for a joker or no card.
func rank(card arenav1.Card) int {
	if card < 1 || card > 52 {
		return 0
	}
	return int(card-1)%13 + 1
}

// A deck says of each card, by its number, whether it is in it.
type deck [55]bool

// fullDeck has the cards numbered 1 to last.
func fullDeck(last int) *deck {
	var full deck
	for card := 1; card <= last; card++ {
		full[card] = true
	}
	return &full
}

// remove takes cards out of the deck.
func (d *deck) remove(cards ...arenav1.Card) {
	for _, card := range cards {
		if card >= 0 && int(card) < len(d) {
			d[card] = false
		}
	}
}

// chances are, for each seat but one's own, how likely it holds a card that one
// has not seen, which may as well lie in the stock.
func chances(handSizes []uint32, me, stock uint32) []float64 {
	hidden := int(stock)
	for seat, size := range handSizes {
		if uint32(seat) != me {
			hidden += int(size)
		}
	}
	held := make([]float64, 0, 8)
	for seat, size := range handSizes {
		if uint32(seat) != me {
			held = append(held, share(int(size), hidden))
		}
	}
	return held
}

// at is an element of a list, or nothing where the list does not reach.
func at[Element any](list []Element, index uint32) (element Element) {
	if uint64(index) < uint64(len(list)) {
		element = list[index]
	}
	return element
}

// share is a part of a whole, from 0 to 1.
func share(part, whole int) float64 {
	if part <= 0 || whole <= 0 {
		return 0
	}
	return min(1, float64(part)/float64(whole))
}
