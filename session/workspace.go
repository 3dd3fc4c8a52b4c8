package session

import (
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// knowledge is the memory of what expressions know.
type knowledge struct {
	values   expr.Context
	env      types.Env
	host     system.Host
	within   within
	routines routines
}

// workspace is the memory of what a statement needs to run: as much as one that reads a row takes otherwise.
type workspace struct {
	run executor.Env
	knowledge
}

// workspaces lets a session use one for statements that come one after the other.
type workspaces struct {
	last *workspace // that was taken
	free *workspace // nil: there is none, as one statement runs another
}

// take is one for a statement.
func (w *workspaces) take() *workspace {
	w.last, w.free = w.free, nil
	if w.last == nil {
		w.last = &workspace{}
	}
	return w.last
}

// done takes the one back that was taken last, if what ran in it is a run of which nothing is left.
func (w *workspaces) done(run *executor.Env) {
	if w.last != nil && &w.last.run == run {
		*w.last = workspace{}
		w.free = w.last
	}
}
