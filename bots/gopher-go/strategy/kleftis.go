package strategy

import (
	"slices"

	"gopher/internal/arenav1"
)

// kleftis judges every action by the group that it leaves open: whether it will
// be secured or stolen first, and late in the game, what it will cost at the end.
func (p *Player) kleftis(view *arenav1.KleftisView) int {
	seen := view.GetObservation()
	me, hand, sizes := seen.GetSeat(), seen.GetHand(), seen.GetHandSizes()
	p.remember(view.GetEvents())
	unseen := fullDeck(52)
	unseen.remove(p.secured...)
	unseen.remove(hand...)
	for _, dashboard := range seen.GetDashboards() {
		for _, group := range dashboard.GetGroups() {
			unseen.remove(group.GetCards()...)
		}
	}
	missed := 1.0 // the chance that nobody holds a given unseen card
	for _, chance := range chances(sizes, me, seen.GetStock()) {
		missed *= 1 - chance
	}
	turns := len(hand) + int(seen.GetStock())/max(1, len(sizes)) // ours, with this one

	// open is what a group is worth that lies open until our next turn.
	open := func(cards []arenav1.Card, used arenav1.Card) float64 {
		size := float64(len(cards))
		if turns <= 1 {
			return -size
		}
		safe, friends := 1.0, 0.0
		for card := arenav1.Card(1); card <= 52; card++ {
			if unseen[card] && joins(card, cards) {
				safe *= missed
			}
		}
		for _, card := range hand {
			if card != used && joins(card, cards) {
				friends++
			}
		}
		switch {
		case size > 1:
			return safe*size - (1-safe)*size
		case friends > 0 && turns > 2: // to be built on
			return safe*(0.5+0.1*friends) - (1 - safe)
		}
		return -safe/float64(turns) - (1 - safe)
	}
	return best(view.GetLegalActions(), func(action *arenav1.KleftisAction) float64 {
		switch kind := action.GetKind().(type) {
		case *arenav1.KleftisAction_Secure:
			return float64(len(kind.Secure.GetGroups()))
		case *arenav1.KleftisAction_Play:
			card := kind.Play.GetCard()
			return open([]arenav1.Card{card}, card)
		case *arenav1.KleftisAction_Build:
			card, group := kind.Build.GetCard(), groupOf(seen, kind.Build.GetGroup())
			now := float64(len(group)) // it could be secured instead
			if len(group) < 2 {
				now = open(group, card)
			}
			return open(with(group, card), card) - now
		case *arenav1.KleftisAction_Steal:
			card, group := kind.Steal.GetCard(), groupOf(seen, kind.Steal.GetGroup())
			theirs := float64(len(group)) // what the owner would have secured
			if at(sizes, kind.Steal.GetOwner()) == 0 {
				theirs = -theirs // or is left with
			}
			return open(with(group, card), card) + theirs
		}
		return unknown
	})
}

// remember keeps the cards that are secured, which no observation shows.
func (p *Player) remember(events []*arenav1.KleftisEvent) {
	for _, event := range events {
		if event.GetDealt() != nil {
			p.secured = p.secured[:0]
		}
		p.secured = append(p.secured, event.GetSecured().GetCards()...)
	}
}

// groupOf is the group with a number.
func groupOf(seen *arenav1.KleftisObservation, number uint32) []arenav1.Card {
	for _, dashboard := range seen.GetDashboards() {
		for _, group := range dashboard.GetGroups() {
			if group.GetGroup() == number {
				return group.GetCards()
			}
		}
	}
	return nil
}

// joins says whether a card and a group make a set or a run.
func joins(card arenav1.Card, group []arenav1.Card) bool {
	if len(group) == 0 || slices.Contains(group, card) {
		return false
	}
	first, last := group[0], group[len(group)-1]
	if rank(card) == rank(first) {
		return rank(card) == rank(last) // a set
	}
	if suit(card) != suit(first) || suit(card) != suit(last) || len(group) == 13 {
		return false
	}
	above := rank(first) + len(group) // 14 for an ace
	return precedes(card, group) || rank(card) == above || rank(card) == 1 && above == 14
}

// precedes says whether a card of a run's suit goes before it.
func precedes(card arenav1.Card, run []arenav1.Card) bool {
	first := rank(run[0])
	return rank(card) == first-1 || rank(card) == 13 && first == 1 && len(run) == 1
}

// with is a group with one more card that joins it, a run from low to high.
func with(group []arenav1.Card, card arenav1.Card) []arenav1.Card {
	grown := make([]arenav1.Card, 0, len(group)+1)
	if len(group) > 0 && suit(card) == suit(group[0]) && precedes(card, group) {
		return append(append(grown, card), group...)
	}
	return append(append(grown, group...), card)
}
