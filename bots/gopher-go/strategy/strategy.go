// Package strategy is how the bot plays, and this is the file to edit. Gopher
// gives each legal action points and plays the one with the most. It plays by
// tempo: early it hopes for more, late it takes no risk.
package strategy

import pb "gopher/internal/arena/v1"

// A Player plays one table. Fields added to it are its memory of that table.
type Player struct{}

func New(*pb.TableStart) *Player { return &Player{} }

// Choose returns the index of the legal action to play.
func (*Player) Choose(turn *pb.Turn) int {
	return best(turn.GetNyuri(), nyuri) + // 0 for all but the turn's game
		best(turn.GetFortyOne(), fortyOne) + best(turn.GetNurMut(), nurMut) +
		best(turn.GetKleftis(), kleftis) + best(turn.GetHyrule(), hyrule)
}

// best is the index of the action with the most points, the first of equals.
func best[Seen, Action any](view interface {
	GetObservation() Seen
	GetLegalActions() []Action
}, score func(Seen, Action) int) int {
	chosen, most := 0, -1000
	for i, action := range view.GetLegalActions() {
		if points := score(view.GetObservation(), action); points > most {
			chosen, most = i, points
		}
	}
	return chosen
}

// nyuri steals with few cards, and lays high ones; early it hopes for its aces.
func nyuri(seen *pb.NyuriObservation, action *pb.NyuriAction) int {
	base, guard := action.GetPlace().GetBase(), action.GetPlace().GetGuard()
	switch {
	case action.GetSteal() != nil:
		return 20 - len(action.GetSteal().GetCards())
	case guard > 0:
		return -1 // two cards to lose
	case rank(base) == 1 && seen.GetStock() < 16:
		return 14 // an ace is the highest
	}
	return rank(base) // 0 for drawing a card, or leaving the pile
}

// fortyOne collects a suit; early it stops only with a high score.
func fortyOne(seen *pb.FortyOneObservation, action *pb.FortyOneAction) int {
	hand, discards := seen.GetHand(), seen.GetDiscards()
	now, discard := suitPoints(hand, 0), action.GetDiscard().GetCard()
	switch {
	case discard > 0: // the highest of another suit, or else the lowest
		return 2*suitPoints(hand, discard) + rank(discard)
	case action.GetTakeDiscard() != nil && len(discards) > 0:
		return suitPoints(append(hand, discards[len(discards)-1]), 0)
	case action.GetEndPlay() != nil && now < 24+int(seen.GetStock())/4:
		return -1
	}
	return now + 1 // what the stock may bring
}

// nurMut lays what fits; early, with small piles to take, it is brave.
func nurMut(seen *pb.NurMutObservation, action *pb.NurMutAction) int {
	switch {
	case action.GetPlace() != nil, action.GetChoosePile() != nil:
		return 100
	case action.GetCourage() != nil:
		return 12 - int(seen.GetTurns())
	}
	return 0
}

// kleftis steals, else builds, else plays; it never builds with its last card.
func kleftis(seen *pb.KleftisObservation, action *pb.KleftisAction) int {
	switch {
	case action.GetSteal() != nil:
		return 2
	case action.GetBuild() != nil && len(seen.GetHand()) > 1:
		return 1
	}
	return len(action.GetSecure().GetGroups()) // 0 for playing a card
}

// hyrule swaps to play last, and wins with the weakest card; late it leads high.
func hyrule(seen *pb.HyruleObservation, action *pb.HyruleAction) int {
	card, swapped := action.GetPlay().GetCard(), action.GetSwap().GetCard()
	switch {
	case swapped > 0:
		return 200 - strength(swapped)
	case len(seen.GetTrick()) == 0 && len(seen.GetHand()) <= 4:
		return strength(card)
	case takes(card, seen.GetTrick()):
		return 100 - strength(card)
	}
	return -strength(card)
}
