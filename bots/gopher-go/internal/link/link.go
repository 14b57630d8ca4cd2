// Package link is everything between a strategy and the referee.
package link

import (
	"fmt"
	"os"
	"runtime/debug"

	arenav1 "gopher/internal/arena/v1"
)

// maxMessage is the largest message accepted, in bytes.
const maxMessage = 64 << 20

// A Player plays one table.
type Player interface {
	// Choose answers a turn with the index of one of its legal actions.
	Choose(turn *arenav1.Turn) int
}

// A Bot is what a referee can talk to, whoever dials whom.
type Bot struct {
	Description *arenav1.DescribeResponse
	NewPlayer   func(start *arenav1.TableStart) Player

	contribution contribution
}

// tables are the tables of one stream.
type tables struct {
	bot     *Bot
	players map[uint32]Player
}

func (bot *Bot) newTables() *tables {
	return &tables{bot: bot, players: map[uint32]Player{}}
}

// answer takes in a batch and answers its turns, nil if there are none.
func (t *tables) answer(batch *arenav1.PlayRequest) *arenav1.PlayResponse {
	for _, start := range batch.GetStarts() {
		t.players[start.GetTable()] = t.bot.NewPlayer(start)
	}
	var response *arenav1.PlayResponse
	if turns := batch.GetTurns(); len(turns) > 0 {
		decisions := make([]arenav1.Decision, len(turns)) // two allocations, not one for each turn
		response = &arenav1.PlayResponse{Decisions: make([]*arenav1.Decision, len(turns))}
		for i, turn := range turns {
			decision := &decisions[i]
			decision.Table, decision.Turn, decision.Action = turn.GetTable(), turn.GetTurn(), t.choose(turn)
			response.Decisions[i] = decision
		}
	}
	for _, end := range batch.GetEnds() {
		delete(t.players, end.GetTable())
	}
	return response
}

// choose asks a table's player. A player that panics has chosen action 0, as
// the referee would, and its log says where it went wrong.
func (t *tables) choose(turn *arenav1.Turn) (action uint32) {
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Fprintf(os.Stderr, "the strategy panicked at turn %d of table %d: %v\n%s", turn.GetTurn(), turn.GetTable(), problem, debug.Stack())
			action = 0
		}
	}()
	player := t.players[turn.GetTable()]
	if player == nil { // a turn without a start
		player = t.bot.NewPlayer(&arenav1.TableStart{Table: turn.GetTable()})
		t.players[turn.GetTable()] = player
	}
	return uint32(player.Choose(turn))
}
