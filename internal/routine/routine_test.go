package routine

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestBugs holds that a panic in any kind of goroutine is an error with its stack for who waits.
func TestBugs(t *testing.T) {
	broken := func() { panic("a bug") }
	alone := make(chan error, 1)
	Go(broken, func(err error) { alone <- err })
	var group Group
	var reported error
	group.Go(broken, func(err error) { reported = err })
	group.Wait()
	team, ctx := NewTeam(t.Context(), 2)
	team.Start(func() error { panic("a bug") })
	team.Start(func() error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	for what, err := range map[string]error{"alone": <-alone, "group": reported, "team": team.Wait(),
		"do": Do(func() error { panic("a bug") })} {
		var bug *Bug
		if !errors.As(err, &bug) || !strings.Contains(err.Error(), "routine_test.go") ||
			!strings.Contains(err.Error(), "a bug") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := Do(func() error { return context.Canceled }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
