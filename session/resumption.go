package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"

	"zproxy/catalog"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/resume"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// resumption is how a resumable cursor began, and where it is.
type resumption struct {
	secret []byte
	from   resume.Token // where it began, with what its tokens are bound to
	given  bool         // a token was given
	at     *executor.Resume
	now    func() time.Time
}

// resumption checks the token of a cursor that is declared.
func (s cursors) resumption(ctx context.Context, tree *ast.DeclareCursor, p *Portal) (*resumption, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	r := &resumption{secret: secret, now: s.db.now, from: resume.Token{Statement: s.identify(tree.Text, p),
		Role: int64(s.user.Role())}}
	if tree.Token == "" {
		return r, nil
	}
	given, err := resume.Open(secret, tree.Token)
	switch {
	case err != nil:
		return nil, err
	case given.Role != r.from.Role:
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for resume token").
			WithDetail("The token was made for another role.")
	case !slices.Equal(given.Statement, r.from.Statement):
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "resume token is of another query").
			WithDetail("The text of the query, its parameters, search_path, TimeZone, DateStyle and IntervalStyle must be " +
				"the same.")
	case given.Expired(r.now()):
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "resume token has expired").
			WithDetail("It was valid until %s.", time.UnixMilli(given.Until).UTC().Format(time.RFC3339)).
			WithHint("Start from the front. zproxy.resume_token_ttl says how long new tokens are valid.")
	}
	r.from, r.given = given, true
	return r, nil
}

// identify is a hash of a query and of all by which its values are read.
func (s cursors) identify(query string, p *Portal) []byte {
	env := s.settings.Env.Format()
	texts := []string{query, strings.Join(s.settings.Path, "\x00"), strconv.Itoa(int(env.IntervalStyle)),
		env.DateStyle.String(), strconv.FormatBool(env.EscapeBytes), strconv.Itoa(env.ShortFloats)}
	if env.Location != nil {
		texts = append(texts, env.Location.String())
	}
	for i, v := range p.params {
		if v.IsNull() {
			texts = append(texts, "")
			continue
		}
		texts = append(texts, "="+types.FormatText(v, p.statement.Params[i], &env))
	}
	h := sha256.New()
	for _, text := range texts {
		h.Write(binary.AppendUvarint(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	return h.Sum(nil)
}

// begin makes a plan one that has tokens, and begins where the token of the cursor says.
func (r *resumption) begin(n plan.Node, env *executor.Env) (plan.Node, error) {
	n, scans, prevents := plan.Resumable(n, r.from.Rows, r.from.Last)
	if prevents != "" {
		return nil, executor.NotResumable(prevents)
	}
	if r.given && env.Txn.Mark().Writes > 0 {
		return nil, sqlerr.New(sqlerr.ActiveSQLTransaction, "a cursor cannot go on at a token in a transaction that has written")
	}
	layouts := layoutsOf(scans)
	if r.given && !slices.Equal(r.from.Layouts, layouts) {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "resume token is of another plan").
			WithDetail("The query does not read the same tables in the same order any more.").
			WithHint("An index that was dropped or made, or new statistics, changed the plan. Start from the front, or name the index in the query.")
	}
	r.from.Layouts = layouts
	from := make([]executor.Position, len(r.from.Keys))
	for i, k := range r.from.Keys {
		from[i] = executor.Position{Scan: k.Scan, Key: store.Key{Partition: k.Partition, Sort: k.Sort}}
	}
	r.at = executor.NewResume(from, r.from.Last)
	env.Resume = r.at
	return n, nil
}

// layoutsOf says which keys scans read, and in which order.
func layoutsOf(scans []plan.Scan) []resume.Layout {
	out := make([]resume.Layout, len(scans))
	for i, scan := range scans {
		space := scan.Table.Space.ID
		if x := scan.Access.Entries().Index; x != nil {
			space = x.Space.ID
		}
		out[i] = resume.Layout{Space: int64(space), Reverse: scan.Access.Reverse, Merged: scan.Access.Merge != nil}
	}
	return out
}

// ResumeToken implements system.Cursors.
func (l *portals) ResumeToken(cursor string) (string, error) {
	p, err := l.cursor(cursor)
	switch {
	case err != nil:
		return "", err
	case p.resumes == nil:
		return "", sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cursor %q is not resumable", cursor).
			WithHint("Declare it with WITH (resumable).")
	case p.pos.Ended():
		return "", nil
	}
	t := p.resumes.from
	if p.pos.At > 0 { // else it is where it began
		t.Rows += p.pos.At
		positions, last := p.resumes.at.Positions()
		t.Keys, t.Last = nil, last
		for _, at := range positions {
			t.Keys = append(t.Keys, resume.Key{Scan: at.Scan, Partition: at.Key.Partition, Sort: at.Key.Sort})
		}
	}
	if t.Until = 0; l.settings.ResumeTokenTTL > 0 {
		t.Until = p.resumes.now().Add(l.settings.ResumeTokenTTL).UnixMilli()
	}
	return resume.Seal(p.resumes.secret, t)
}

// secret is that of the database, which is made when it is first wanted.
func (s cursors) secret(ctx context.Context) ([]byte, error) {
	if secret := s.db.Snapshot().DefaultDatabase().Secret; secret != nil {
		return secret, nil
	}
	if s.txn.Changed() != nil {
		return nil, sqlerr.New(sqlerr.ActiveSQLTransaction,
			"the first resumable cursor of a database cannot be declared in a transaction that changes definitions")
	}
	own, err := s.db.Connect(Startup{User: s.db.Snapshot().RoleByID(catalog.BootstrapID).Name,
		Database: s.user.Database, Internal: true})
	if err != nil {
		return nil, err
	}
	defer own.Close()
	err = own.txn.Retry(func() error {
		if _, err := own.txn.Changes(ctx); err != nil {
			return err
		}
		return own.reach.definer(nil).MakeSecret(ctx)
	})
	if err == nil {
		err = own.txn.Commit(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s.db.Snapshot().DefaultDatabase().Secret, nil
}
