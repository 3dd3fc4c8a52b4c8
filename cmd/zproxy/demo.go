package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"zproxy/cmd/zproxy/demodata"
)

// portsTried is how many ports the demo tries before it gives up.
const portsTried = 100

// demo serves a temporary store filled with places, after it has shown what can be done
// with them.
func (p *program) demo(ctx context.Context, o *options) error {
	log := p.logger(o)
	l, err := demoListener(o, log)
	if err != nil {
		return err
	}
	defer l.Close()
	folder, err := os.MkdirTemp("", "zproxy-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o.store, o.data = storePebble, folder
	health, err := openHealth(o, log)
	if err != nil {
		return err
	}
	defer health.close()
	s, err := open(ctx, o, log)
	if err != nil {
		return err
	}
	health.serves(ctx, s)
	err = s.show(ctx, p.out, o.rows, connectLine(l, o))
	if err != nil || ctx.Err() != nil {
		if ctx.Err() != nil {
			err = nil // what failed did so because it was told to stop
		}
		return errors.Join(err, s.store.Close())
	}
	return s.serve(ctx, l)
}

// demoListener takes the first free port unless one was asked for.
func demoListener(o *options, log *slog.Logger) (net.Listener, error) {
	if o.listen != "" {
		return listen(o.listen, o, log)
	}
	a, err := net.ResolveTCPAddr("tcp", defaultListen)
	if err != nil {
		return nil, err
	}
	for range portsTried {
		l, err := net.ListenTCP("tcp", a)
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
		a.Port++
	}
	return nil, fmt.Errorf("no free port in the %d from %s", portsTried, defaultListen)
}

// show loads the places and works through the examples.
func (s *server) show(ctx context.Context, out io.Writer, rows int, connectLine string) error {
	c, err := connect(s.db)
	if err != nil {
		return err
	}
	defer c.session.Close()
	d := &demo{client: c, out: out}
	if err := d.load(ctx, rows); err != nil {
		return err
	}
	for i, e := range examples {
		if err := d.example(ctx, i+1, e); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, demoEnd, connectLine)
	return err
}

// demo prints what a client asks and gets.
type demo struct {
	client *client
	out    io.Writer
}

// load makes and fills the table.
func (d *demo) load(ctx context.Context, rows int) error {
	cities, err := demodata.Cities()
	if err != nil {
		return err
	}
	defer cities.Close()
	for _, sql := range loading {
		fmt.Fprintf(d.out, "%s;\n", sql)
		start := time.Now()
		r, err := d.client.query(ctx, sql, &head{from: cities, lines: rows + 1})
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		fmt.Fprintf(d.out, "    %s in %.1f s\n", r.tag, time.Since(start).Seconds())
	}
	return nil
}

// head is the first lines of what it reads from.
type head struct {
	from  io.Reader
	lines int
}

// Read implements io.Reader.
func (h *head) Read(p []byte) (int, error) {
	if h.lines == 0 {
		return 0, io.EOF
	}
	n, err := h.from.Read(p)
	for at := 0; ; {
		i := bytes.IndexByte(p[at:n], '\n')
		if i < 0 {
			return n, err
		}
		at += i + 1
		if h.lines--; h.lines == 0 {
			return at, nil
		}
	}
}

// example shows one example. A mistake must fail, and nothing else may.
func (d *demo) example(ctx context.Context, number int, e example) error {
	fmt.Fprintf(d.out, "\n%d. %s\n\n", number, e.story)
	if e.mistake {
		_, err := d.client.query(ctx, e.sql, nil)
		fmt.Fprintf(d.out, "%s;\n%s", e.sql, complaint(e.sql, err))
		return nil
	}
	if !e.planOnly {
		if err := d.rows(ctx, e.sql); err != nil {
			return err
		}
	}
	if e.rowsOnly {
		return nil
	}
	return d.plan(ctx, cmp.Or(e.explain, "EXPLAIN (ANALYZE)"), e)
}

// rows shows a query and its rows.
func (d *demo) rows(ctx context.Context, sql string) error {
	start := time.Now()
	r, err := d.client.query(ctx, sql, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	fmt.Fprintf(d.out, "%s;\n\n", sql)
	printTable(d.out, r)
	fmt.Fprintf(d.out, "Time: %.3f ms\n\n", float64(time.Since(start).Microseconds())/1000)
	return nil
}

// plan shows how a query is read. The text of one that has just been shown is left out.
func (d *demo) plan(ctx context.Context, explain string, e example) error {
	r, err := d.client.query(ctx, explain+" "+e.sql, nil)
	if err != nil {
		return fmt.Errorf("%s %s: %w", explain, e.sql, err)
	}
	shown := "..."
	if e.planOnly {
		shown = e.sql
	}
	fmt.Fprintf(d.out, "%s %s;\n\n", explain, shown)
	for _, row := range r.rows {
		fmt.Fprintf(d.out, "  %s\n", strings.Join(row, " "))
	}
	return nil
}
