// Package text writes actions as the arena's own reports do, for logs and tests.
package text

import (
	"fmt"
	"strconv"
	"strings"

	arenav1 "gopher/internal/arena/v1"
)

var (
	suits = [...]string{"♣", "♦", "♥", "♠"}
	ranks = [...]string{"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"}
)

// Card is a card as printed, such as 10♥ or JK1.
func Card(card arenav1.Card) string {
	switch {
	case card >= 1 && card <= 52:
		return ranks[(card-1)%13] + suits[(card-1)/13]
	case card == arenav1.Card_CARD_JOKER_ONE:
		return "JK1"
	case card == arenav1.Card_CARD_JOKER_TWO:
		return "JK2"
	}
	return "?"
}

// Actions are the legal actions of a turn, in their order.
func Actions(turn *arenav1.Turn) []string {
	switch game := turn.GetGame().(type) {
	case *arenav1.Turn_Nyuri:
		return all(game.Nyuri.GetLegalActions(), nyuri)
	case *arenav1.Turn_FortyOne:
		return all(game.FortyOne.GetLegalActions(), fortyOne)
	case *arenav1.Turn_NurMut:
		return all(game.NurMut.GetLegalActions(), nurMut)
	case *arenav1.Turn_Kleftis:
		return all(game.Kleftis.GetLegalActions(), kleftis)
	case *arenav1.Turn_Hyrule:
		return all(game.Hyrule.GetLegalActions(), hyrule)
	}
	return nil
}

func all[Action any](actions []Action, text func(Action) string) []string {
	texts := make([]string, len(actions))
	for i, action := range actions {
		texts[i] = text(action)
	}
	return texts
}

func nyuri(action *arenav1.NyuriAction) string {
	switch kind := action.GetKind().(type) {
	case *arenav1.NyuriAction_Leave:
		return "leave"
	case *arenav1.NyuriAction_Place:
		if kind.Place.Guard == nil {
			return "place " + Card(kind.Place.GetBase())
		}
		return "place " + Card(kind.Place.GetBase()) + " guarded by " + Card(kind.Place.GetGuard())
	case *arenav1.NyuriAction_Draw:
		return "draw"
	case *arenav1.NyuriAction_Steal:
		cards := all(kind.Steal.GetCards(), Card)
		return fmt.Sprintf("steal from seat %d with %s", kind.Steal.GetOwner(), strings.Join(cards, " "))
	}
	return "?"
}

func fortyOne(action *arenav1.FortyOneAction) string {
	switch kind := action.GetKind().(type) {
	case *arenav1.FortyOneAction_DrawStock:
		return "draw from the stock"
	case *arenav1.FortyOneAction_TakeDiscard:
		return "take the discard"
	case *arenav1.FortyOneAction_EndPlay:
		return "end play"
	case *arenav1.FortyOneAction_Discard:
		return "discard " + Card(kind.Discard.GetCard())
	}
	return "?"
}

func nurMut(action *arenav1.NurMutAction) string {
	switch kind := action.GetKind().(type) {
	case *arenav1.NurMutAction_PassTurn:
		return "pass"
	case *arenav1.NurMutAction_Tuck:
		return "tuck the top card"
	case *arenav1.NurMutAction_Place:
		return fmt.Sprintf("place the top card on pile %d", kind.Place.GetPile())
	case *arenav1.NurMutAction_TryTop:
		return "try the top card"
	case *arenav1.NurMutAction_Courage:
		return "courage"
	case *arenav1.NurMutAction_ChoosePile:
		return fmt.Sprintf("lay the flipped card on pile %d", kind.ChoosePile.GetPile())
	}
	return "?"
}

func kleftis(action *arenav1.KleftisAction) string {
	switch kind := action.GetKind().(type) {
	case *arenav1.KleftisAction_Play:
		return "play " + Card(kind.Play.GetCard())
	case *arenav1.KleftisAction_Build:
		return fmt.Sprintf("build %s on group %d", Card(kind.Build.GetCard()), kind.Build.GetGroup())
	case *arenav1.KleftisAction_Steal:
		return fmt.Sprintf("steal group %d from seat %d with %s", kind.Steal.GetGroup(), kind.Steal.GetOwner(), Card(kind.Steal.GetCard()))
	case *arenav1.KleftisAction_Secure:
		groups := all(kind.Secure.GetGroups(), func(group uint32) string { return strconv.Itoa(int(group)) })
		switch len(groups) {
		case 0:
			return "secure nothing"
		case 1:
			return "secure group " + groups[0]
		}
		return "secure groups " + strings.Join(groups, " ")
	}
	return "?"
}

func hyrule(action *arenav1.HyruleAction) string {
	switch kind := action.GetKind().(type) {
	case *arenav1.HyruleAction_Play:
		return "play " + Card(kind.Play.GetCard())
	case *arenav1.HyruleAction_Swap:
		return "swap " + Card(kind.Swap.GetCard())
	}
	return "?"
}
