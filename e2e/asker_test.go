package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// asker is a connection to a server that plans in one way.
type asker struct {
	store, plan string
	conn        *pgconn.PgConn
}

func (a *asker) String() string { return a.store + ", " + a.plan }

// way is how a query is asked.
type way int

const (
	directly way = iota
	prepared     // and run with other values of its parameters before
	byCursor     // if it has no parameters
)

func (d dice) way() way {
	return pick(d, []way{directly, directly, directly, prepared, prepared, byCursor})
}

// parameters are those of a query, as texts.
type parameters struct {
	values []string
	others []string // of the same types
}

const nullParameter = "NULL"

func bytesOf(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, p := range texts {
		if p != nullParameter {
			out[i] = []byte(p)
		}
	}
	return out
}

// answer is what can be said of the rows, as text.
func answer(a *asker, q randomQuery, sql string, as way) string {
	rows, err := a.rows(sql, q.params, as)
	switch {
	case err != nil:
		return brief(err)
	case q.count:
		return fmt.Sprintf("%d rows", len(rows))
	case !q.order:
		slices.Sort(rows)
	}
	return strings.Join(rows, "\n")
}

// rows are the answer to a query, as lines.
func (a *asker) rows(sql string, params parameters, as way) ([]string, error) {
	ctx := context.Background()
	values := bytesOf(params.values)
	switch {
	case as == prepared:
		if _, err := a.conn.Prepare(ctx, "q", sql, nil); err != nil {
			return nil, err
		}
		a.conn.ExecPrepared(ctx, "q", bytesOf(params.others), nil, nil).Read()
		r := a.conn.ExecPrepared(ctx, "q", values, nil, nil).Read()
		if err := a.conn.Deallocate(ctx, "q"); err != nil {
			return nil, err
		}
		return lines(r), r.Err
	case len(values) > 0:
		r := a.conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
		return lines(r), r.Err
	case as == byCursor:
		return a.fetched(sql)
	}
	results, err := a.conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	return lines(results[0]), nil
}

// fetched are the rows of a query that is read in pieces.
func (a *asker) fetched(sql string) ([]string, error) {
	ctx := context.Background()
	results, err := a.conn.Exec(ctx,
		"BEGIN; DECLARE c CURSOR FOR "+sql+"; FETCH 3 FROM c; FETCH 70 FROM c; FETCH ALL FROM c; COMMIT").ReadAll()
	if err != nil {
		_, failed := a.conn.Exec(ctx, "ROLLBACK").ReadAll()
		return nil, errors.Join(err, failed)
	}
	return slices.Concat(lines(results[2]), lines(results[3]), lines(results[4])), nil
}

func lines(r *pgconn.Result) []string {
	var out []string
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cell(v)
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out
}

// write runs a statement. Which of several rows breaks a rule first is the plan's, so
// errors are told apart by their codes only.
func (a *asker) write(sql string) (string, error) {
	results, err := a.conn.Exec(context.Background(), sql).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return "ERROR " + e.Code[:2], nil
	case err != nil:
		return "", err
	}
	return results[0].CommandTag.String(), nil
}
