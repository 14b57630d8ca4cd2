// What the page's scripts get from the page as JSON, and the events that they send each other, as types. Only the
// check of types reads this file. `tests/view/test_scripts.py` compares it with what Python makes.

/** A sentence in parts: texts, and numbers of seats in place of the players' names. */
export type Words = (string | number)[];

/** The emblem of a bot: the number of its hue, and its path in a box of 5 by 5. */
export type Emblem = [hue: number, path: string];

/** What lies where on a table, by the names of places (`arena/view/pictures/games.py`). */
export interface Picture {
  act?: number | null;
  about?: Record<string, string>;
  deal?: string;
  scores?: number[];
  [place: string]: any; // each game has places of its own, as in Python
}

/** A step of a game: the places that changed, a sentence, the tone of its moment, and its lines of the log. */
export interface Step {
  changed: Picture;
  say: Words;
  tone: string;
  log: Words[];
}

/** Who sits at a table; a picture without names of the players' bots has no emblems. */
export interface Table {
  game: string;
  seats: number;
  names: string[];
  emblems?: Emblem[];
}

/** How a game went and ended (`Ending` in `arena/view/pictures/moments.py`). */
export interface Ending {
  sentence: Words;
  scores: number[][];
  points: number[];
  unit: [one: string, many: string];
  sign: number;
  marked: number | null;
  mark: string;
  tag: string;
  why: Words;
  margin: number | null;
}

/** A finished game (`game_pictures` in `arena/view/pictures/replay.py`). */
export interface Game extends Table {
  title: string;
  view: number | "all" | "public";
  keys: Record<number, Picture>;
  steps: Step[];
  end: Words[];
  places: number[];
  points: number[];
  forfeits: number[];
  ending: Ending;
  guess: Guess | null;
}

/** The decision at the last lead change of a game: what could be played, and what was. */
export interface Guess {
  step: number;
  seat: number;
  actions: Words[];
  chosen: number;
}

/** The moment at which a game is shown (`still` in `arena/view/worth_seeing.py`). */
export interface Still extends Table {
  picture: Picture;
  step: Step;
}

/** The steps of a running table from one on, and how it ended (`Tables.seen` in `arena/view/league/tables.py`). */
export interface NextSteps {
  end: "" | "over" | "void" | "gone";
  count: number;
  key: string;
  first: number;
  steps: Step[];
}

/** The same for a browser that has nothing yet. */
export interface FirstSteps extends NextSteps, Table {
  title: string;
  picture: Picture;
}

/** News of the league (`arena/view/league/events.py`); without a tournament it has no rounds. */
export interface News {
  say: string;
  games: number;
  left?: number;
  rounds?: number;
  round?: string;
  night?: number;
  state: string;
  lobby: string[];
}

/** By running table, how many of its steps are shown; below 0 if it has ended. */
export type Counts = Record<number, number>;

/** Cards of a mini-table (`arena/view/pictures/mini.py`). */
export interface Group {
  cards: (number | null)[];
  text: string;
  seat?: number;
  ring?: number;
  tone?: string;
}

/** A mini-table (`arena/view/league/wall.py`). */
export interface Tile {
  key: string;
  href: string;
  title: string;
  match: string;
  done: number;
  seats: { name: string; emblem: Emblem }[];
  numbers: (number | null)[];
  act: number | null;
  since: number;
  limit: number;
  middle: Group[];
  faces: string;
  first: number[];
  say: Words;
}

/** What is new on a wall: of each mini-table what has changed, null for a gap; and the server's clock in seconds. */
export interface Wall {
  tiles: (({ key: string } & Partial<Tile>) | null)[];
  running: number;
  now: number;
}

/** A legal action (`LegalAction` in `arena/seat/messages.py`). */
export interface LegalAction {
  say: Words;
  cards: number[];
  verb: string;
  targets: string[];
}

/** An open turn of a person (`Turn` in `arena/seat/messages.py`). */
export interface Turn {
  turn: number;
  left: number;
  picture: Picture;
  events: Words[];
  actions: LegalAction[];
  asks?: string;
}

/** A person's table (`Table` in `arena/seat/messages.py`), with emblems. */
export interface Seated extends Table {
  emblems: Emblem[];
  title: string;
  seat: number;
  bank: number;
  move: number;
  increment: number;
  swapped?: boolean;
}

/** The end of a person's game (`End` in `arena/seat/messages.py`); `replay` and `ending` come with a friendly game. */
export interface End {
  kind: "end";
  places: number[];
  points: number[];
  reason: string;
  say: Words;
  own: string;
  replay?: string;
  ending?: Ending | null;
}

/** Nothing yet. */
export type Nothing = Record<string, never>;

/** The whole state of a person's seat (`Seat._tell` in `arena/seat/seats.py`). */
export interface SeatNow {
  entrant: string;
  table: Seated | Nothing;
  turn: Turn | Nothing;
  last: End | { kind: "late" | "void" } | Nothing;
  before: { say: Words; own: string; names: string[] } | Nothing;
  said: string;
  over: string;
}

/** What was found about a seat of an explained game (`arena/view/pictures/explained.py`). */
export interface ExplainedSeat {
  seat: number;
  points: [ply: number, score: number, error: number][];
  result: number;
  score: string;
  sources: string[];
  error: string;
  decisions: number;
  mistakes: number;
  unsure: number;
  cost: string;
}

/** A decision that was a mistake. */
export interface Mistake {
  ply: number;
  seat: number;
  fault: string;
  choice: Words;
  better: Words;
  score: number;
}

/** What an analysis found of a game. */
export interface Explained {
  last: number;
  by: string[];
  seats: ExplainedSeat[];
  mistakes: Mistake[];
  note: string;
  marked: AtMark | null;
}

/** What an analysis found of the decision at the last lead change: the best action, and the score of each. */
export interface AtMark {
  best: number;
  verdict: "mistake" | "best" | "close" | "cannot tell";
  tried: [score: string, error: string][];
}

/** How far the explanation of a game is (`arena/view/serving/explaining.py`). `may`: whether this person may ask. */
export type ExplainedNow = { may: boolean } & (
  | { state: "unknown" }
  | { state: "waiting" | "running"; ahead: number; share: number }
  | { state: "failed"; why: string }
  | { state: "found"; found: Explained }
);

/** A bot's report, from a line on (`AuthorData.report` in `arena/hosting/pages/author_data.py`). */
export interface Report {
  state: string;
  reason: string;
  lines: { at: string; step: string; text: string; level: string }[];
  next: number;
  elapsed: string;
  waits: string;
}

/** An upload that the page has received. */
export interface Upload {
  upload: string;
  received: number;
}

declare global {
  interface DocumentEventMap {
    "arena-fresh": CustomEvent<Document>; // the page was loaded again, and put in
    "arena-tables": CustomEvent<Counts>;
    "arena-wall": CustomEvent<Wall>;
  }
}
