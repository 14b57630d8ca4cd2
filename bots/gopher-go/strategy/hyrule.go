package strategy

import "gopher/internal/arenav1"

// hyrule plays the card that is likely to take the trick for what it costs: a
// strong card is dear early and free in the last trick. An opener swaps its
// weakest card, to play last.
func (p *Player) hyrule(view *arenav1.HyruleView) int {
	seen := view.GetObservation()
	hand := seen.GetHand()
	var room [16]arenav1.Card
	var alone [2]arenav1.Card
	trick := room[:0]
	for _, played := range seen.GetTrick() {
		trick = append(trick, played.GetCard())
	}
	unseen := fullDeck(54)
	unseen.remove(trick...)
	unseen.remove(hand...)
	unseen.remove(seen.GetPlayed()...)
	unseen.remove(seen.GetDiscards()...)
	last := p.start.GetHyrule().GetDoubleJoker() == arenav1.HyruleDoubleJoker_HYRULE_DOUBLE_JOKER_LAST

	// wins is the chance that a card takes a trick on which so many others follow.
	wins := func(trick []arenav1.Card, card arenav1.Card, others int) float64 {
		trick = append(trick, card)
		if trickWinner(trick, last) != card {
			return 0
		}
		beaten, all := 0, 0
		for other, there := range unseen {
			if there {
				all++
				if trickWinner(append(trick, arenav1.Card(other)), last) == card {
					beaten++
				}
			}
		}
		chance := 1.0
		for range others {
			chance *= share(beaten, all)
		}
		return chance
	}
	others := max(0, len(seen.GetHandSizes())-len(trick)-1)
	price := 1.2 // sealed cards meet any others
	if seen.GetPhase() != arenav1.HyrulePhase_HYRULE_PHASE_SEAL {
		others, price = 2*others, 0.1 // who sees a card can choose another to beat it
	}
	price *= share(len(hand)-1, 7)
	return best(view.GetLegalActions(), func(action *arenav1.HyruleAction) float64 {
		switch kind := action.GetKind().(type) {
		case *arenav1.HyruleAction_Play:
			card := kind.Play.GetCard()
			return wins(trick, card, others) - price*wins(alone[:0], card, 1)
		case *arenav1.HyruleAction_Swap:
			return 2 - wins(alone[:0], kind.Swap.GetCard(), 1)
		}
		return unknown
	})
}

// By suit, clubs to spades: which suit takes a trick, which does where hearts
// meet diamonds, and which five takes a trick with a joker.
var (
	suitOrder = [...]int{3, 4, 1, 2}
	meetOrder = [...]int{1, 2, 4, 3}
	fiveOrder = [...]int{2, 1, 4, 3}
)

// trickWinner is the card that takes a trick as it lies.
func trickWinner(trick []arenav1.Card, lastJoker bool) arenav1.Card {
	var has [jokers + 1]bool
	for _, card := range trick {
		has[max(0, suit(card))] = true
	}
	order := &suitOrder
	if has[hearts] && has[diamonds] {
		order = &meetOrder
	}
	var winner arenav1.Card
	most := 0
	for _, card := range trick {
		strength := 0
		switch {
		case suit(card) < 0:
		case suit(card) == jokers:
			strength = 1
			if lastJoker && most == 1 {
				strength = 2
			}
		case !has[jokers]:
			strength = 20*order[suit(card)] + rank(card)
		case rank(card) == 5:
			strength = 10 * fiveOrder[suit(card)]
		}
		if strength > most {
			winner, most = card, strength
		}
	}
	return winner
}
