package strategy

import "gopher/internal/arenav1"

// Scores with which to stop at the first turn and at the last: with four of a
// suit at once one is ahead, later others have them too.
const stopEarly, stopLate = 18, 26

// fortyOne collects a suit: early a card of another suit is a place still to be
// filled, late it is points lost.
func fortyOne(view *arenav1.FortyOneView) int {
	seen := view.GetObservation()
	hand, discards := seen.GetHand(), seen.GetDiscards()
	early := share(int(seen.GetStock()), 52-4*len(seen.GetHandSizes()))
	now := fortyOneWorth(hand, 0, early)
	fed := fedSuit(seen)
	return best(view.GetLegalActions(), func(action *arenav1.FortyOneAction) float64 {
		switch kind := action.GetKind().(type) {
		case *arenav1.FortyOneAction_DrawStock:
			return now + 1 // what an unknown card brings
		case *arenav1.FortyOneAction_TakeDiscard:
			var room [8]arenav1.Card
			five := append(room[:0], hand...)
			if len(discards) > 0 {
				five = append(five, discards[len(discards)-1])
			}
			most := float64(unknown)
			for _, card := range hand {
				most = max(most, fortyOneWorth(five, card, early))
			}
			return most
		case *arenav1.FortyOneAction_EndPlay:
			switch score := fortyOneWorth(hand, 0, 0); {
			case seen.GetStock() == 0:
				return score + 0.5
			case score >= stopEarly*early+stopLate*(1-early):
				return -unknown
			}
			return unknown
		case *arenav1.FortyOneAction_Discard:
			card := kind.Discard.GetCard()
			worth := fortyOneWorth(hand, card, early)
			if suit(card) == fed {
				worth -= fortyOnePoints(card) / 10
			}
			return worth
		}
		return unknown
	})
}

// fedSuit is the suit of the last discard that the next seat took from us, -1 if none.
func fedSuit(seen *arenav1.FortyOneObservation) int {
	discards, seats := seen.GetDiscards(), uint32(max(1, len(seen.GetHandSizes())))
	for i := len(discards) - 1; i >= 0; i-- {
		if (seen.GetStarter()+uint32(i))%seats == seen.GetSeat() && at(seen.GetTaken(), uint32(i)) {
			return suit(discards[i])
		}
	}
	return -1
}

// fortyOneWorth is what a hand without one card is worth while a part of the
// stock is still to come; without a stock it is its score.
func fortyOneWorth(hand []arenav1.Card, without arenav1.Card, early float64) float64 {
	const hope = 2.5 // the points of a card that is yet to be found for a place
	most := float64(unknown)
	for collected := clubs; collected <= spades; collected++ {
		worth := 0.0
		for _, card := range hand {
			switch {
			case card == without:
			case suit(card) == collected:
				worth += fortyOnePoints(card)
			default:
				worth += early*hope - (1-early)*fortyOnePoints(card)
			}
		}
		most = max(most, worth)
	}
	return most
}

// fortyOnePoints is what a card counts, for or against.
func fortyOnePoints(card arenav1.Card) float64 {
	if rank(card) == 1 {
		return 11
	}
	return float64(min(rank(card), 10))
}
