package session

import (
	"context"

	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/session/charge"
)

// parse reads a text. What its tree takes is held until the statement ends.
func (r *reach) parse(text string) ([]ast.Parsed, error) {
	bytes := charge.Parsing(text)
	if err := r.bounds.Made.Grow(bytes); err != nil {
		return nil, err
	}
	return parser.ParseUntil(text, parser.Until{Ended: r.bounds.Interrupted,
		Left: func() func() { return r.bounds.Made.Leave(bytes) }})
}

// GrowMessage charges the session for a message of the client before it is read. The context ends the
// waiting for memory.
func (s *Session) GrowMessage(ctx context.Context, bytes int64) error {
	return s.bounds.GrowMessage(ctx, bytes)
}

// ShrinkMessage gives back what GrowMessage charged.
func (s *Session) ShrinkMessage(bytes int64) { s.bounds.ShrinkMessage(bytes) }
