package dynamostore

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
)

// documentChange is what makes an item from the one that was found: paths that are set, and those that go.
type documentChange struct {
	set, remove []string
	names       map[string]string
	values      item
}

// changeOf is the least that makes one item of another, with paths into documents. Where that is too long for an
// expression, attributes are set as a whole.
func changeOf(from, to item) *documentChange {
	for _, deep := range []bool{true, false} {
		c := &documentChange{names: map[string]string{}, values: item{}}
		c.compare("", from, to, deep)
		if len(c.expression()) <= maxExpression || !deep {
			return c
		}
	}
	return nil
}

func (c *documentChange) compare(path string, from, to item, deep bool) {
	all := maps.Clone(from)
	maps.Copy(all, to)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		before, was := from[name]
		after, is := to[name]
		if reflect.DeepEqual(before, after) {
			continue
		}
		at := "#u" + strconv.Itoa(len(c.names))
		c.names[at] = name
		at = path + at
		old, oldMap := before.(*ddb.AttributeValueMemberM)
		next, newMap := after.(*ddb.AttributeValueMemberM)
		switch {
		case !is:
			c.remove = append(c.remove, at)
		case deep && was && oldMap && newMap:
			c.compare(at+".", old.Value, next.Value, true)
		default:
			value := ":u" + strconv.Itoa(len(c.values))
			c.values[value] = after
			c.set = append(c.set, at+" = "+value)
		}
	}
}

func (c *documentChange) empty() bool { return len(c.set)+len(c.remove) == 0 }

func (c *documentChange) expression() string {
	var clauses []string
	if len(c.set) > 0 {
		clauses = append(clauses, "SET "+strings.Join(c.set, ", "))
	}
	if len(c.remove) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(c.remove, ", "))
	}
	return strings.Join(clauses, " ")
}

// fits refuses a change that no expression holds.
func (c *documentChange) fits(table string) error {
	if len(c.expression()) <= maxExpression {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many attributes of an item of DynamoDB table \"%s\" change at once",
		table)
}

// in adds the names and values of the change to a condition, and gives the expression.
func (c *documentChange) in(cond *condition) *string {
	if cond.names == nil {
		cond.names = map[string]string{}
	}
	if cond.values == nil && len(c.values) > 0 {
		cond.values = item{}
	}
	maps.Copy(cond.names, c.names)
	maps.Copy(cond.values, c.values)
	return aws.String(c.expression())
}
