// Package strategy is what the bot plays, and all that you edit to make a bot
// of your own: given a turn, return the index of one of its legal actions.
//
// Gopher plays by tempo. In every game it takes what looks best at once, but
// what looks best moves with the cards that are left: early it keeps strong
// cards and hopes for more, late it takes only risks that can still pay.
// There is one file for each game; what they share is in cards.go.
package strategy

import "gopher/internal/arenav1"

// A Player plays one table. Its fields are its memory of that table alone.
type Player struct {
	start   *arenav1.TableStart
	secured []arenav1.Card // Kleftis: the cards secured in this deal
}

// New makes the player of a table that begins.
func New(start *arenav1.TableStart) *Player {
	return &Player{start: start}
}

// Choose returns the index of the action to play.
func (p *Player) Choose(turn *arenav1.Turn) int {
	switch game := turn.GetGame().(type) {
	case *arenav1.Turn_Nyuri:
		return nyuri(game.Nyuri)
	case *arenav1.Turn_FortyOne:
		return fortyOne(game.FortyOne)
	case *arenav1.Turn_NurMut:
		return nurMut(game.NurMut)
	case *arenav1.Turn_Kleftis:
		return p.kleftis(game.Kleftis)
	case *arenav1.Turn_Hyrule:
		return p.hyrule(game.Hyrule)
	}
	return 0 // a game that there was not when this was written
}

// unknown is the worth of an action that there was not when this was written.
const unknown = -1000

// best is the index of the action that is worth most, the first of equals.
func best[Action any](actions []Action, worth func(Action) float64) int {
	index, most := 0, 0.0
	for i, action := range actions {
		if value := worth(action); i == 0 || value > most {
			index, most = i, value
		}
	}
	return index
}
