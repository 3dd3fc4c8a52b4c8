package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// dayWords are what texts of dates and times may be made of.
var dayWords = []string{"today", "tomorrow", "yesterday", "now", "noon", "midnight", "allballs", "epoch", "infinity",
	"-infinity", "10:30", "10:30 PM", "24:00", "00:00:60",
	"1030", "t10:30", "2000-01-01", "j2451545", "January 8, 1999", "08-Jan-99", "19990108", "monday", "zulu", "UTC", "PST", "+02", "-04:30", "America/New_York", "BC", "AD", "am", "pm", ",", "2024.366"}

// TestDayWordsLikePostgres reads texts of the words of days and times as PostgreSQL does, as each type.
func TestDayWordsLikePostgres(t *testing.T) {
	c := newCompared(t)
	for range 1500 {
		text := strings.Join(some(c.dice, dayWords, 3), " ")
		for _, typ := range []string{"date", "timestamp", "timestamptz", "time", "timetz"} {
			if strings.Contains(text, "now") {
				continue // which is another time for each
			}
			c.want(t, fmt.Sprintf("SELECT '%s'::%s", text, typ))
		}
	}
}

// TestNumericLikePostgres computes functions of numbers of all sizes and scales as PostgreSQL does, to the last digit.
func TestNumericLikePostgres(t *testing.T) {
	c := newCompared(t)
	for range 3000 {
		a, b := c.number(), c.number()
		e := pick(c.dice, []string{"sqrt(abs(%[1]s))", "ln(abs(%[1]s) + 1e-30)", "exp(mod(%[1]s, 500))",
			"power(abs(%[1]s), mod(%[2]s, 40))", "power(mod(%[1]s, 30), trunc(mod(%[2]s, 30)))", "log(abs(%[1]s))",
			"log(abs(%[1]s), abs(%[2]s))", "div(%[1]s, %[2]s)", "mod(%[1]s, %[2]s)", "%[1]s / %[2]s", "%[1]s %% %[2]s", "%[1]s * %[2]s", "%[1]s + %[2]s", "round(%[1]s, 5)", "round(%[1]s, -3)", "trunc(%[1]s, 7)",
			"ceil(%[1]s)", "floor(%[1]s)", "sign(%[1]s)", "scale(%[1]s * %[2]s)", "min_scale(%[1]s)", "trim_scale(%[1]s)", "gcd(%[1]s, %[2]s)", "lcm(%[1]s, %[2]s)", "width_bucket(%[1]s, -100, %[2]s, 7)",
			"factorial(mod(abs(trunc(%[1]s)), 40)::int8)", "(%[1]s)::float8", "(%[1]s)::float4", "(%[1]s)::int8", "stddev(v) || ' ' || variance(v) || ' ' || avg(v) || ' ' || sum(v) || ' ' || var_pop(v) FROM (VALUES (%[1]s), (%[2]s), (3.5)) x (v)",
			"to_char(%[1]s, 'FM9999999990.0099')", "(%[1]s)::numeric(20, 4)"})
		c.want(t, "SELECT "+fmt.Sprintf(e, a, b))
	}
}

// number is a constant of type numeric.
func (c *compared) number() string {
	digits := func(n int) string {
		out := make([]byte, n)
		for i := range out {
			out[i] = "0123456789"[c.IntN(10)]
		}
		return string(out)
	}
	if c.IntN(30) == 0 {
		return pick(c.dice, []string{"'NaN'::numeric", "'Infinity'::numeric", "'-Infinity'::numeric", "0::numeric",
			"0.000::numeric", "1::numeric", "-1.0::numeric"})
	}
	text := digits(1+c.IntN(pick(c.dice, []int{2, 8, 30}))) + "." +
		strings.Repeat("0", c.IntN(pick(c.dice, []int{1, 3, 20}))) + digits(c.IntN(pick(c.dice, []int{1, 5, 25})))
	return "('" + pick(c.dice, []string{"", "-"}) + text + "'::numeric)"
}

// compared asks PostgreSQL and us.
type compared struct {
	dice
	theirs, ours *pgconn.PgConn
}

func newCompared(t *testing.T) *compared {
	t.Helper()
	return &compared{newDice(seeds(t, 1)[0]), connectPostgres(t), openDB(t, inMemory).connect(t).PgConn()}
}

func (c *compared) want(t *testing.T, sql string) {
	t.Helper()
	if want, got := spoken(t.Context(), c.theirs, sql), spoken(t.Context(), c.ours, sql); got != want {
		t.Errorf("%s: %s, PostgreSQL: %s", sql, got, want)
	}
}
