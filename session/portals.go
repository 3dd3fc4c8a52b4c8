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
	open     func(context.Context, *Portal) error // begins to read one
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

// drop is CLOSE of one portal.
func (l *portals) drop(name string) error {
	p, err := l.cursor(name)
	if err == nil && p.looped {
		err = sqlerr.New(sqlerr.InvalidCursorState, "cannot drop pinned portal \"%s\"", name)
	}
	if err == nil {
		l.close(name)
	}
	return err
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

// CloseSince implements transaction.Portals.
func (l *portals) CloseSince(last int) { l.closeIf(func(p *Portal) bool { return p.number > last }) }

// End implements transaction.Portals.
func (l *portals) End() {
	l.closeIf(func(p *Portal) bool {
		spared := p.spared
		p.spared = false
		return !p.held && !spared
	})
}

// Last implements transaction.Portals.
func (l *portals) Last() int { return l.last }

// Hold implements transaction.Portals.
func (l *portals) Hold(ctx context.Context) error {
	for _, p := range l.of {
		if p.toBeHeld() {
			if err := l.read(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads the rows that are left of a portal, so that it needs its transaction no more.
func (l *portals) read(ctx context.Context, p *Portal) error {
	err := l.open(ctx, p)
	if err == nil {
		err = p.pos.Hold(ctx)
	}
	if err != nil {
		return fmt.Errorf("cursor %q: %w", p.name, err)
	}
	p.letGo()
	return nil
}

// Outlive implements transaction.Portals.
func (l *portals) Outlive(ctx context.Context) error {
	for _, p := range l.of {
		switch p.spared = p.active; {
		case !p.looped || p.held:
		case !p.isSelect() || p.statement.written != nil:
			return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
				"cannot perform transaction commands inside a cursor loop that is not read-only")
		default:
			if err := l.read(ctx, p); err != nil {
				return err
			}
			p.held = true
		}
	}
	return nil
}

// Keep implements transaction.Portals.
func (l *portals) Keep() {
	for _, p := range l.of {
		p.held = p.held || p.hold
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
