package session

import (
	"context"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/session/cursor"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// portals are those of a session, cursors among them.
type portals struct {
	of       map[string]*Portal
	last     int // number
	budget   cursor.Budget
	settings *settings.Settings
	running  *observe.Running
}

// add makes a portal known by a name, which must be free.
func (l *portals) add(name string, p *Portal) error {
	if _, there := l.of[name]; there {
		return sqlerr.New(sqlerr.DuplicateCursor, "cursor %q already exists", name)
	}
	if len(l.of) >= maxPortals {
		return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "a session can have at most %d open cursors and portals",
			maxPortals)
	}
	l.last++
	p.name, p.number = name, l.last
	if name != "" {
		p.made = time.Now()
	}
	l.budget.Most = l.settings.StatementMemory
	p.pos.ChargeTo(&l.budget)
	l.of[name] = p
	return nil
}

// cursor finds the portal that FETCH, MOVE and CLOSE name.
func (l *portals) cursor(name string) (*Portal, error) {
	if p, ok := l.of[name]; ok {
		return p, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCursorName, "cursor %q does not exist", name)
}

// close forgets a portal and stops what it reads.
func (l *portals) close(name string) {
	if p, ok := l.of[name]; ok {
		p.close()
		l.running.Abandon(&p.statement.subject, p.sofar)
		delete(l.of, name)
	}
}

// closeIf closes the portals of which a condition holds.
func (l *portals) closeIf(condition func(*Portal) bool) {
	for name, p := range l.of {
		if condition(p) {
			l.close(name)
		}
	}
}

// closeBut closes every portal but the one that is running.
func (l *portals) closeBut(running *Portal) { l.closeIf(func(p *Portal) bool { return p != running }) }

// closeSince closes those that were made after one with a number.
func (l *portals) closeSince(last int) { l.closeIf(func(p *Portal) bool { return p.number > last }) }

// end closes those that end with the transaction.
func (l *portals) end() { l.closeIf(func(p *Portal) bool { return !p.held }) }

// hold reads the cursors WITH HOLD of a transaction that is about to be committed; open begins to read one.
func (l *portals) hold(ctx context.Context, open func(context.Context, *Portal) error) error {
	for name, p := range l.of {
		if !p.toBeHeld() {
			continue
		}
		if err := open(ctx, p); err != nil {
			return fmt.Errorf("cursor %q: %w", name, err)
		}
		if err := p.pos.Hold(ctx); err != nil {
			return fmt.Errorf("cursor %q: %w", name, err)
		}
	}
	return nil
}

// keepHeld notes that the transaction has been committed, which those that were held outlive.
func (l *portals) keepHeld() {
	for _, p := range l.of {
		p.held = p.hold
	}
}

// toHold says whether any portal is to be read before the commit.
func (l *portals) toHold() bool {
	for _, p := range l.of {
		if p.toBeHeld() {
			return true
		}
	}
	return false
}

// refuseInUse is the error about changing a table that portals of the session read. The
// verb is that of the statement.
func (l *portals) refuseInUse(verb string, t *catalog.Table) error {
	for _, p := range l.of {
		if p.inner != nil {
			p = p.inner
		}
		if p.reads(t.ID) {
			return sqlerr.New(sqlerr.ObjectInUse,
				"cannot %s %q because it is being used by active queries in this session", verb, t.Name)
		}
	}
	return nil
}
