package sqlerr_test

import (
	"errors"
	"testing"

	"zproxy/sqlerr"
)

type maker[T any] struct{}

func (*maker[T]) make() *sqlerr.Error { return sqlerr.New(sqlerr.SyntaxError, "new") }

func (maker[T]) literal() *sqlerr.Error {
	f := func() error { return func() error { return sqlerr.Notice(sqlerr.SyntaxError, "notice") }() }
	return sqlerr.From(f())
}

// TestLocation makes an error in each way there is, and wants each to tell this file and the function that
// made it, also when it was copied.
func TestLocation(t *testing.T) {
	m := maker[int]{}
	for _, c := range []struct {
		err     *sqlerr.Error
		routine string
	}{
		{m.make(), "maker.make"},
		{m.literal(), "maker.literal"},
		{sqlerr.Wrap(errors.New("cause"), sqlerr.SyntaxError, "wrapped").At(3).WithHint("h").WithDetail("d"),
			"TestLocation"},
		{sqlerr.Unsupported("this"), "TestLocation"},
		{sqlerr.From(errors.New("bug")), "TestLocation"},
	} {
		p := c.err.Location()
		if p.File != "sqlerr_test/location_test.go" && p.File != "sqlerr/location_test.go" || p.Line == 0 ||
			p.Routine != c.routine {
			t.Errorf("%s: %+v, want %s", c.err, p, c.routine)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = sqlerr.New(sqlerr.DivisionByZero, "division by zero")
	}
}
