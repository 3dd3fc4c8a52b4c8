package parser

import (
	"fmt"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// fullRange is the first modifier of interval(p), where fields such as DAY TO SECOND
// would stand (INTERVAL_FULL_RANGE of PostgreSQL's timestamp.h).
const fullRange = 0x7FFF

// columnType is the type of a column, which cannot have sets.
func columnType(c *converter, column string, n *pg.TypeName) ast.TypeName {
	if n.GetSetof() {
		c.fail(sqlerr.New(sqlerr.InvalidTableDefinition, "column \"%s\" cannot be declared SETOF", column).
			At(int(c.at(n.Location))))
	}
	return c.typeName(n)
}

// typeName is a type as written, but for SETOF, which means nothing in casts, and except that the grammar has already
// replaced SQL's names by PostgreSQL's: int is int4, char is bpchar. What is left as char was quoted.
func (c *converter) typeName(n *pg.TypeName) ast.TypeName {
	out := ast.TypeName{Pos: -1}
	if n == nil {
		return out
	}
	out.Pos = c.at(n.Location)
	c.refuse(n.PctType, n, "TYPE of a column")
	out.Array = len(n.ArrayBounds) > 0
	n.Names = withoutDatabase(c, n.Names, 2)
	parts := names(n.Names)
	switch {
	case len(parts) == 2 && parts[0] == "pg_catalog":
		parts = parts[1:]
	case len(parts) == 2 && parts[0] == "information_schema": // which has domains
		parts = []string{parts[0] + "." + parts[1]}
	}
	switch len(parts) {
	case 1:
	case 2:
		out.Schema, parts = parts[0], parts[1:]
	default:
		c.fail(crossing(parts).At(int(out.Pos)))
		return out
	}
	out.Name = parts[0]
	mods := n.Typmods
	if out.Name == "interval" && len(mods) > 0 {
		if fields := mods[0].GetAConst().GetIval().GetIval(); fields != fullRange {
			out.Words = []string{c.intervalFields(n, fields)}
		}
		mods = mods[1:]
	}
	c.modifiers(&out, mods)
	return out
}

// intervalFields are the fields of an interval as they were written. The grammar gives a
// bit for each (INTERVAL_MASK of PostgreSQL's timestamp.h).
func (c *converter) intervalFields(n *pg.TypeName, mask int32) string {
	const month, year, day, hour, minute, second = 1 << 1, 1 << 2, 1 << 3, 1 << 10, 1 << 11, 1 << 12
	switch mask {
	case year:
		return "year"
	case month:
		return "month"
	case day:
		return "day"
	case hour:
		return "hour"
	case minute:
		return "minute"
	case second:
		return "second"
	case year | month:
		return "year to month"
	case day | hour:
		return "day to hour"
	case day | hour | minute:
		return "day to minute"
	case day | hour | minute | second:
		return "day to second"
	case hour | minute:
		return "hour to minute"
	case hour | minute | second:
		return "hour to second"
	case minute | second:
		return "minute to second"
	}
	c.refuse(true, n, "an interval of these fields")
	return ""
}

// modifiers reads what stands in the parentheses of a type: numbers and words. Which of them a
// type takes is found when it is looked up.
func (c *converter) modifiers(t *ast.TypeName, mods []*pg.Node) {
	for _, m := range mods {
		if k := m.GetAConst(); k != nil && !k.Isnull {
			text := c.constant(k)
			if n, err := strconv.ParseInt(text, 10, 32); err == nil {
				t.Args = append(t.Args, int(n))
			} else {
				t.Words = append(t.Words, text)
			}
			continue
		}
		fields := names(m.GetColumnRef().GetFields())
		if len(fields) != 1 {
			fields = []string{""}
		}
		t.Words = append(t.Words, strings.ToLower(fields[0]))
	}
	c.reduced(t.Name, t.Args, t.Pos)
	c.says((t.Name == "bytes" || t.Name == "varbinary") && len(t.Args) > 0,
		ast.Clause("the length of type "+strings.ToUpper(t.Name)))
}

// mostDigits is how many digits a second has.
const mostDigits = 6

// reduced warns of digits of a second that no time has.
func (c *converter) reduced(name string, args []int, pos ast.Pos) {
	zone := ""
	switch name {
	case "timestamptz", "timetz":
		zone = " WITH TIME ZONE"
	case "timestamp", "time", "interval":
	default:
		return
	}
	if len(args) != 1 || args[0] <= mostDigits {
		return
	}
	c.notices = append(c.notices, ast.Notice{
		Message: fmt.Sprintf("%s(%d)%s precision reduced to maximum allowed, %d",
			strings.ToUpper(strings.TrimSuffix(name, "tz")), args[0], zone, mostDigits),
		Code: string(sqlerr.InvalidParameterValue), Warning: true, Pos: pos,
	})
}
