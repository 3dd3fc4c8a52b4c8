package memory

import "context"

// Account is what one session holds of a pool. One goroutine uses it at a time. The zero Account has
// no pool, and so no bound.
//
// An account that has nothing of the pool yet waits for its turn when the pool is empty. One that has
// something is refused at once, since others may be waiting for it to end.
type Account struct {
	pool  *Pool
	ctx   context.Context // ends the waiting; nil: nothing does
	held  int64
	taken int64 // from the pool, for what is held beyond the allowance
}

// Account makes an account of a pool.
func (p *Pool) Account() Account { return Account{pool: p} }

// Begin says until when the statement that begins may wait for memory.
func (a *Account) Begin(ctx context.Context) { a.ctx = ctx }

// End says that nothing ends the waiting until the next statement begins.
func (a *Account) End() { a.ctx = nil }

// Grow charges bytes before they are made. With an error nothing is charged.
func (a *Account) Grow(bytes int64) error {
	if a.pool == nil || bytes <= 0 {
		return nil
	}
	if short := a.held + bytes - allowance - a.taken; short > 0 {
		short = (short + quantum - 1) / quantum * quantum
		ctx := a.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		if err := a.pool.take(ctx, short, a.taken == 0); err != nil {
			return err
		}
		a.taken += short
	}
	a.held += bytes
	return nil
}

// Shrink gives back what was charged. Some quanta stay with the account, for what comes next.
func (a *Account) Shrink(bytes int64) {
	if a.pool == nil || bytes <= 0 {
		return
	}
	a.held = max(a.held-bytes, 0)
	a.giveUnused()
}

// giveUnused gives back to the pool what is not held.
func (a *Account) giveUnused() {
	if a.taken == 0 {
		return
	}
	unused := a.taken
	if a.held > allowance {
		unused -= a.held - allowance
		if unused < 4*quantum {
			return
		}
		unused = unused / quantum * quantum
	}
	a.taken -= unused
	a.pool.give(unused)
}

// Leave gives away what was charged for work that goes on without the account. At the end of that work another
// goroutine may call done, which gives it back to the pool.
func (a *Account) Leave(bytes int64) (done func()) {
	if a.pool == nil {
		return func() {}
	}
	left := min(bytes, a.taken)
	a.held = max(a.held-bytes, 0)
	a.taken -= left
	a.giveUnused()
	pool := a.pool
	return func() { pool.give(left) }
}

// Held is what is charged.
func (a *Account) Held() int64 { return a.held }

// Close gives everything back.
func (a *Account) Close() { a.Shrink(a.held) }
