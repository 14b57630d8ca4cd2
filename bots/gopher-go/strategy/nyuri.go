package strategy

import "gopher/internal/arenav1"

// nyuri lays the pile that is least likely to be stolen, early without its
// strongest cards, which steal better from the hand; and steals what gains most.
func nyuri(view *arenav1.NyuriView) int {
	seen := view.GetObservation()
	me, sizes := seen.GetSeat(), seen.GetHandSizes()
	unseen := fullDeck(52)
	unseen.remove(seen.GetHand()...)
	unseen.remove(seen.GetSpent()...)
	for _, pile := range seen.GetPiles() {
		unseen.remove(pile.GetBase(), pile.GetGuard())
	}
	held := chances(sizes, me, seen.GetStock())
	early := share(int(seen.GetStock()), 52-7*len(sizes))

	// keep is minus the cards that a pile is likely to lose, and a little for its strength.
	keep := func(base, guard arenav1.Card) float64 {
		worth, size, showing := nyuriWorth(base)+nyuriWorth(guard), 1.0, 2
		if guard > 0 {
			size = 2
		}
		if worth > 10 {
			showing = 3
		}
		safe := 1.0
		for _, chance := range held {
			safe *= 1 - outbids(unseen, suit(base), 14, chance, showing, worth)
		}
		return -(1-safe)*size - early*float64(worth)/60
	}
	return best(view.GetLegalActions(), func(action *arenav1.NyuriAction) float64 {
		switch kind := action.GetKind().(type) {
		case *arenav1.NyuriAction_Leave:
			mine := at(seen.GetPiles(), me)
			return keep(mine.GetBase(), mine.GetGuard())
		case *arenav1.NyuriAction_Place:
			return keep(kind.Place.GetBase(), kind.Place.GetGuard())
		case *arenav1.NyuriAction_Draw:
			return 1
		case *arenav1.NyuriAction_Steal:
			owner, cards := kind.Steal.GetOwner(), kind.Steal.GetCards()
			gain := 1.0
			if at(seen.GetPiles(), owner).GetGuard() > 0 {
				gain = 2
			}
			if len(cards) == 3 { // costs one card
				gain--
			}
			shown := 0
			for _, card := range cards {
				shown += nyuriWorth(card)
			}
			loss := gain / float64(max(1, len(sizes)-1)) // the owner's, shared by all who gain from it
			return gain + loss + float64(at(sizes, owner))/100 - float64(shown)/1000
		}
		return unknown
	})
}

// outbids is the chance that somebody who holds each unseen card of a suit, up
// to one of this worth, can show so many of them that are worth more than a pile.
func outbids(unseen *deck, suit, highest int, held float64, showing, worth int) float64 {
	if worth < 0 {
		return 1
	}
	if showing == 0 || highest < 2 || showing*highest <= worth || suit < 0 || suit == jokers {
		return 0
	}
	without := outbids(unseen, suit, highest-1, held, showing, worth)
	if !unseen[13*suit+(highest-1)%13+1] { // 14 is the ace, number 1 of its suit
		return without
	}
	return held*outbids(unseen, suit, highest-1, held, showing-1, worth-highest) + (1-held)*without
}

// nyuriWorth is what a card counts: an ace most.
func nyuriWorth(card arenav1.Card) int {
	if rank(card) == 1 {
		return 14
	}
	return rank(card)
}
