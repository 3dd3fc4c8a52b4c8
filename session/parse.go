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
	return parser.ParseUntil(text, parser.Until{Ended: r.bounds.Interrupted, Database: r.user.Database,
		Left: func() func() { return r.bounds.Made.Leave(bytes) }})
}

// conform makes a text of the client one that every session reads as this one does.
func (r *reach) conform(text string) (string, error) {
	of := parser.Strings{Escapes: r.settings.EscapedStrings, Warn: r.settings.WarnOfEscapes,
		NoQuote: r.settings.BackslashQuote == "off" ||
			r.settings.BackslashQuote == "safe_encoding" && r.settings.Charset != nil && r.settings.Charset.Client}
	conforming, notices, err := of.Conform(text)
	if err != nil {
		return "", locate(err, text)
	}
	for _, n := range notices {
		n.Position = characters(text, n.Position-1) + 1
		r.settings.PendingNotices = append(r.settings.PendingNotices, n)
	}
	return conforming, nil
}

// GrowMessage charges the session for a message of the client before it is read. The context ends the
// waiting for memory.
func (s *Session) GrowMessage(ctx context.Context, bytes int64) error {
	return s.bounds.GrowMessage(ctx, bytes)
}

// ShrinkMessage gives back what GrowMessage charged.
func (s *Session) ShrinkMessage(bytes int64) { s.bounds.ShrinkMessage(bytes) }
