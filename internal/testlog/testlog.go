// Package testlog is a log for servers under test. Errors that a server logs fail the test. What else is logged is
// not judged. Read New first.
package testlog

import (
	"context"
	"log/slog"
	"testing"
)

// New makes a logger that fails a test for what a server logs as an error: a bug, by its own
// account.
func New(t testing.TB) *slog.Logger { return slog.New(handler{t}) }

type handler struct{ t testing.TB }

func (handler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }
func (h handler) WithAttrs([]slog.Attr) slog.Handler         { return h }
func (h handler) WithGroup(string) slog.Handler              { return h }
func (h handler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	h.t.Errorf("the server logged: %.2000s", text)
	return nil
}
