package copy

import (
	"errors"
	"fmt"
	"slices"

	"zproxy/executor"
	"zproxy/store"
)

// part is some rows that are written together.
type part struct {
	rows  []executor.Staged
	bytes int64
	// doubt says that rows may be there by a try of which the end is not known.
	doubt bool
	tries int
}

func newPart(rows []executor.Staged) *part {
	p := &part{rows: rows}
	for _, r := range rows {
		p.bytes += r.Bytes
	}
	return p
}

// tooMany are more rows than go into one part of the table as it is now.
type tooMany struct{ most int }

// Error implements error.
func (t *tooMany) Error() string {
	return fmt.Sprintf("more than %d rows: %v", t.most, store.ErrTooLarge)
}

// Unwrap makes it an ErrTooLarge.
func (t *tooMany) Unwrap() error { return store.ErrTooLarge }

// cut makes pieces of a part that is too large: such as an error says, or halves.
func (p *part) cut(err error) (pieces []*part) {
	most := (len(p.rows) + 1) / 2
	if many := (*tooMany)(nil); errors.As(err, &many) {
		most = many.most
	}
	for rows := range slices.Chunk(p.rows, most) {
		piece := newPart(rows)
		piece.doubt, piece.tries = p.doubt, p.tries
		pieces = append(pieces, piece)
	}
	return pieces
}
