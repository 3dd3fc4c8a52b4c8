package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

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
}

// resumption checks the token of a cursor that is declared.
func (s cursors) resumption(ctx context.Context, tree *ast.DeclareCursor, p *Portal) (*resumption, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	r := &resumption{secret: secret, from: resume.Token{Statement: s.identify(tree.Text, p),
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
			WithDetail("The text of the query, its parameters, search_path, TimeZone and IntervalStyle must be the same.")
	}
	r.from, r.given = given, true
	return r, nil
}

// identify is a hash of a query and of all by which its values are read.
func (s cursors) identify(query string, p *Portal) []byte {
	env := s.settings.Env.Format()
	texts := []string{query,
		strings.Join(s.settings.Path, "\x00"), strconv.Itoa(int(env.IntervalStyle)), strconv.Itoa(env.ShortFloats)}
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
	n, scan, prevents := plan.Resumable(n, r.from.Rows)
	if prevents != "" {
		return nil, executor.NotResumable(prevents)
	}
	if r.given && env.Txn.Mark().Writes > 0 {
		return nil, sqlerr.New(sqlerr.ActiveSQLTransaction, "a cursor cannot go on at a token in a transaction that has written")
	}
	layout := layoutOf(scan)
	if r.given && r.from.Layout != layout {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "resume token is of another plan").
			WithDetail("The query does not read the table in the same order any more.").
			WithHint("An index that was dropped or made, or new statistics, changed the plan. Start from the front, or name the index in the query.")
	}
	r.from.Layout = layout
	keys := make([]store.Key, len(r.from.Keys))
	for i, k := range r.from.Keys {
		keys[i] = store.Key(k)
	}
	r.at = executor.NewResume(keys)
	env.Resume = r.at
	return n, nil
}

// layoutOf says which keys a scan reads, and in which order.
func layoutOf(scan plan.Scan) resume.Layout {
	space := scan.Table.Space.ID
	if x := scan.Access.Entries().Index; x != nil {
		space = x.Space.ID
	}
	return resume.Layout{Space: int64(space), Reverse: scan.Access.Reverse, Merged: scan.Access.Merge != nil}
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
		t.Keys = nil
		for _, key := range p.resumes.at.Keys() {
			t.Keys = append(t.Keys, resume.Key(key))
		}
	}
	return resume.Seal(p.resumes.secret, t)
}

// secret is that of the database, which is made when it is first wanted.
func (s cursors) secret(ctx context.Context) ([]byte, error) {
	if secret := s.db.Snapshot().Database().Secret; secret != nil {
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
	if _, err := own.txn.Changes(ctx); err != nil {
		return nil, err
	}
	if err := own.reach.definer(nil).MakeSecret(ctx); err != nil {
		return nil, err
	}
	if err := own.txn.Commit(ctx); err != nil {
		return nil, err
	}
	return s.db.Snapshot().Database().Secret, nil
}
