package e2e

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/parser"
)

// tooLarge says that a transaction has more items than the store takes in one.
func tooLarge(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "54000"
}

// filling is an INSERT of a query's rows.
var filling = regexp.MustCompile(`(?is)^\s*INSERT\s+INTO\s+(\w+)\s*(\([^()]*\))?\s*(SELECT\s.*)$`)

// inPieces runs a text that failed for its size: its statements one by one, which are one transaction
// when they are sent together, and of one that is too large itself the rows by COPY. The error is
// that of the text, for what cannot be taken apart.
func (p *player) inPieces(text string, err error) (results []*pgconn.Result, _ error) {
	statements, broken := parser.Parse(text)
	if broken != nil {
		return nil, err
	}
	for _, s := range statements {
		one, err := p.send(s.Text)
		if parts := filling.FindStringSubmatch(s.Text); tooLarge(err) && parts != nil {
			one, err = p.fill(parts[1], parts[2], parts[3])
		}
		if results = append(results, one...); err != nil {
			return results, err
		}
	}
	return results, nil
}

// fill is INSERT INTO table columns query.
func (p *player) fill(table, columns, query string) ([]*pgconn.Result, error) {
	var data strings.Builder
	read, err := p.conn.CopyTo(p.ctx, &data, "COPY ("+query+") TO STDOUT")
	if err != nil {
		return nil, err
	}
	if columns == "" {
		if columns, err = p.firstColumns(table, data.String()); err != nil {
			return nil, err
		}
	}
	rows := slices.Collect(strings.Lines(data.String()))
	for size := len(rows); len(rows) > 0; {
		size = min(size, len(rows))
		_, err := p.conn.CopyFrom(p.ctx, strings.NewReader(strings.Join(rows[:size], "")),
			"COPY "+table+" "+columns+" FROM STDIN")
		switch {
		case err == nil:
			rows = rows[size:]
		case tooLarge(err) && size > 1:
			size = min(size-1, 96) / 2
		default:
			return nil, err
		}
	}
	return []*pgconn.Result{{CommandTag: pgconn.NewCommandTag(fmt.Sprintf("INSERT 0 %d", read.RowsAffected()))}}, nil
}

// firstColumns are as many columns of a table as rows have, which COPY wants to be named.
func (p *player) firstColumns(table, rows string) (string, error) {
	results, err := p.conn.Exec(p.ctx,
		"SELECT attname FROM pg_attribute WHERE attrelid = '"+table+"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum").ReadAll()
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(rows, "\n")
	var names []string
	for _, r := range results[0].Rows[:1+strings.Count(line, "\t")] {
		names = append(names, pgx.Identifier{string(r[0])}.Sanitize())
	}
	return "(" + strings.Join(names, ", ") + ")", nil
}
