package expr_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/work"
	"zproxy/types"
)

var errEnd = errors.New("end")

// TestInterruptEndsFunctions calls every function with large arguments in a statement that is to
// end. Each ends by that or by itself; the bound on time is there for what would run for ever.
func TestInterruptEndsFunctions(t *testing.T) {
	const bound = 30 * time.Second
	for _, f := range builtin.All() {
		for seed := range uint64(3) {
			w := &walker{random: rand.New(rand.NewPCG(seed, 1)), size: 100_000}
			call := w.call(f)
			done := make(chan error, 1)
			go func() { done <- interrupted(call) }()
			select {
			case err := <-done:
				if errors.Is(err, errPanic) {
					t.Errorf("%s(%s), seed %d: %v", f.Name, signature(f), seed, err)
				}
			case <-time.After(bound):
				t.Fatalf("%s(%s), seed %d, goes on", f.Name, signature(f), seed)
			}
		}
	}
}

var errPanic = errors.New("panic")

// interrupted evaluates a call in a statement that is to end, to the first row of a set.
func interrupted(call expr.Call) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	env := &types.Env{}
	c := &expr.Context{Env: env, Meter: work.Meter{Interrupt: func() error { return errEnd }}}
	env.Work = c
	if call.Fn.Rows == nil {
		_, err = call.Eval(c, nil)
		return err
	}
	args := make([]types.Value, len(call.Args))
	for i, a := range call.Args {
		args[i] = a.(expr.Const).Value
	}
	for _, err := range call.Fn.Rows(c, args) {
		return err
	}
	return nil
}
