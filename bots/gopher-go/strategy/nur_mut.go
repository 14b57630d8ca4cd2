package strategy

import "gopher/internal/arenav1"

const joker = arenav1.NurMutFace_NUR_MUT_FACE_JOKER

// nurMut lays cards where the next seat cannot, and is brave when that pays;
// when somebody else is about to win, failing costs little.
func nurMut(view *arenav1.NurMutView) int {
	seen := view.GetObservation()
	me, piles, decks, tops := seen.GetSeat(), seen.GetPiles(), seen.GetDeckSizes(), seen.GetTopFaces()
	top, next := at(tops, me), at(tops, (me+1)%uint32(max(1, len(decks))))
	flip := flipFits(top, piles)

	nearest := at(decks, me)
	for _, size := range decks {
		nearest = min(nearest, size)
	}
	fear := 1.0
	if nearest <= 2 && nearest < at(decks, me) {
		fear = 0.4
	}
	cost, highest := 0.0, arenav1.NurMutFace(0) // of failing: the pile to take, and a card laid by the next seat
	for pile, face := range piles {
		if face >= highest {
			cost, highest = 1+float64(at(seen.GetPileSizes(), uint32(pile))), face
		}
	}
	lay := func(pile uint32, face arenav1.NurMutFace) float64 {
		var room [4]arenav1.NurMutFace
		after := append(room[:0], piles...)
		if int(pile) < len(after) {
			after[pile] = face
		}
		if fits(next, after) {
			return 0.7
		}
		return 1
	}
	return best(view.GetLegalActions(), func(action *arenav1.NurMutAction) float64 {
		switch kind := action.GetKind().(type) {
		case *arenav1.NurMutAction_PassTurn:
			return -0.1
		case *arenav1.NurMutAction_Tuck:
			return 0
		case *arenav1.NurMutAction_Place:
			return lay(kind.Place.GetPile(), top)
		case *arenav1.NurMutAction_ChoosePile:
			return lay(kind.ChoosePile.GetPile(), seen.GetFlipped())
		case *arenav1.NurMutAction_TryTop:
			return flip
		case *arenav1.NurMutAction_Courage:
			return 2*flip - (1-flip)*fear*cost // a card laid, and the turn goes on
		}
		return unknown
	})
}

// flipFits is the chance that a flipped card fits. Under model two its other
// face is visible, and no card has the same number on both.
func flipFits(visible arenav1.NurMutFace, piles []arenav1.NurMutFace) float64 {
	chance := 0.0
	for face := arenav1.NurMutFace(1); face <= joker; face++ {
		switch {
		case face == visible || !fits(face, piles):
		case visible < 1 || visible > joker: // model one
			chance += 1. / 10
		case visible == joker:
			chance += 1. / 9
		case face == joker:
			chance += 1. / 17
		default:
			chance += 2. / 17
		}
	}
	return chance
}

// fits says whether a face may be laid on one of the piles.
func fits(face arenav1.NurMutFace, piles []arenav1.NurMutFace) bool {
	for _, top := range piles {
		number := face >= 1 && face < joker
		if face == joker || number && (top == joker || face == top+1 || face == top-1) {
			return true
		}
	}
	return false
}
