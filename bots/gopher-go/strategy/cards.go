package strategy

import pb "gopher/internal/arena/v1"

const diamonds, hearts, jokers = 1, 2, 4

func suit(card pb.Card) int { return min(max(int(card)-1, 0)/13, jokers) }

// rank is 1 (ace) to 13 (king), and 0 for no card.
func rank(card pb.Card) int { return max(int(card)-1, -1)%13 + 1 }

// suitPoints is what the best suit of a hand counts, without one of the cards.
func suitPoints(hand []pb.Card, without pb.Card) int {
	points := [...]int{0, 11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10} // by rank
	var sums [5]int
	for _, card := range hand {
		if card != without {
			sums[suit(card)] += points[rank(card)]
		}
	}
	return max(sums[0], sums[1], sums[2], sums[3])
}

// strength is how strong a card is in a Hyrule trick: the strongest takes it.
func strength(card pb.Card, trick ...*pb.HyrulePlayedCard) int {
	var in [5]bool // by suit
	for _, played := range trick {
		in[suit(played.GetCard())] = true
	}
	switch {
	case suit(card) == jokers:
		return 80
	case rank(card) == 5 && in[jokers]:
		return 81 + [...]int{1, 0, 3, 2}[suit(card)]
	case suit(card) == hearts && in[diamonds]:
		return 60 + rank(card)
	}
	return [...]int{30, 45, 0, 15}[suit(card)] + rank(card)
}

// takes says whether a card takes a Hyrule trick from those played before it.
func takes(card pb.Card, trick []*pb.HyrulePlayedCard) bool {
	all := append(trick, &pb.HyrulePlayedCard{Card: card})
	for _, played := range trick {
		if strength(played.GetCard(), all...) >= strength(card, all...) {
			return false
		}
	}
	return true
}
