package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/testseed"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// shop is a table of another program with customers, their orders and the lines of these in the same partitions, and
// notes that lie among them. The tables own_customer and so on have the same rows.
type shop struct {
	*Session
	reads atomic.Int32 // requests that read the table of the other program
}

// shopTables are the columns of each table, the template of the sort key, and other options.
var shopTables = map[string][3]string{
	"customer": {"customer text, name text, region text", "PROFILE",
		`, "GSI1PK" 'R#{region}', "GSI1SK" 'C#{customer}'`},
	"orders": {"customer text, order_id int, total int, region text", "O#{order_id:04}",
		`, "GSI1PK" 'R#{region}', "GSI1SK" 'O#{order_id:04}'`},
	"order_line": {"customer text, order_id int, no int, sku text", "O#{order_id:04}#L#{no:02}"},
	"note":       {"customer text, n int", "N#{n:03}"},
}

// readingOps are requests that read.
var readingOps = []string{"Query", "GetItem", "BatchGetItem", "Scan"}

func newShop(t *testing.T, pageItems int) *shop {
	t.Helper()
	w := &shop{}
	fake := dynamofake.New(dynamofake.Options{PageItems: pageItems, Before: func(r *dynamofake.Request) {
		if slices.Contains(r.Tables, "App") && slices.Contains(readingOps, r.Op) {
			w.reads.Add(1)
		}
	}})
	sdk := dynamodb.New(dynamodb.Options{Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:1"),
		HTTPClient: fake.Client("other"), Credentials: aws.AnonymousCredentials{}})
	in := &dynamodb.CreateTableInput{TableName: aws.String("App"), BillingMode: ddb.BillingModePayPerRequest}
	for _, name := range []string{"PK", "SK", "GSI1PK", "GSI1SK"} {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: &name, AttributeType: ddb.ScalarAttributeTypeS})
	}
	keyOf := func(partition, sort string) []ddb.KeySchemaElement {
		return []ddb.KeySchemaElement{{AttributeName: &partition, KeyType: ddb.KeyTypeHash},
			{AttributeName: &sort, KeyType: ddb.KeyTypeRange}}
	}
	in.KeySchema = keyOf("PK", "SK")
	in.GlobalSecondaryIndexes = []ddb.GlobalSecondaryIndex{{IndexName: aws.String("gsi1"),
		KeySchema: keyOf("GSI1PK", "GSI1SK"), Projection: &ddb.Projection{ProjectionType: ddb.ProjectionTypeAll}}}
	if _, err := sdk.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: fake.Client("")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	db, err := Open(t.Context(), st, Options{Settings: map[string]string{"zproxy.full_scan": "allow"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w.Session = connect(t, db, "joe")
	for name, of := range shopTables {
		accepted(t, w.Session, fmt.Sprintf("CREATE TABLE own_%s (%s)", name, of[0]),
			fmt.Sprintf(`CREATE FOREIGN TABLE %[1]s (%[2]s) SERVER dynamodb
				OPTIONS (table_name 'App', pk 'C#{customer}', sk '%[3]s', when 'type = ''%[1]s'''%[4]s)`, name, of[0], of[1], of[2]))
	}
	return w
}

// both runs a statement that writes on a table and on the one with the same rows.
func (w *shop) both(t *testing.T, table, rest string) {
	t.Helper()
	for _, prefix := range []string{"", "own_"} {
		accepted(t, w.Session, strings.ReplaceAll(rest, "TABLE", prefix+table))
	}
}

func (w *shop) fill(t *testing.T, r *rand.Rand) {
	t.Helper()
	for _, c := range "abcde" {
		if r.IntN(4) > 0 {
			w.both(t, "customer", fmt.Sprintf("INSERT INTO TABLE VALUES ('%c', 'name', '%d')", c, r.IntN(3)))
		}
		taken := map[int]bool{}
		for range r.IntN(7) {
			id := r.IntN(20)
			if taken[id] {
				continue
			}
			taken[id] = true
			w.both(t, "orders", fmt.Sprintf("INSERT INTO TABLE VALUES ('%c', %d, %d, '%d')", c, id, r.IntN(9),
				r.IntN(3)))
			for no := range r.IntN(4) {
				w.both(t, "order_line", fmt.Sprintf("INSERT INTO TABLE VALUES ('%c', %d, %d, 's')", c, id, no))
			}
		}
		for from := range []int{0, 1, 3}[r.IntN(3)] { // some hundred do not fit into the page
			w.both(t, "note", fmt.Sprintf("INSERT INTO TABLE SELECT '%c', g FROM generate_series(%d, %d) g", c, 50*from,
				50*from+49))
		}
	}
}

// drawShopQuery draws a query of tables whose names are in capitals.
func drawShopQuery(r *rand.Rand) string {
	of := func(column string) string {
		switch list := []string{"a", "b", "c", "d", "e", "none"}; r.IntN(3) {
		case 0:
			return fmt.Sprintf("%s IN ('%s', '%s', '%s')", column, list[r.IntN(6)], list[r.IntN(6)], list[r.IntN(6)])
		default:
			return fmt.Sprintf("%s = '%s'", column, list[r.IntN(6)])
		}
	}
	join := []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"}[r.IntN(4)]
	switch r.IntN(8) {
	case 0:
		return "SELECT * FROM CUSTOMER c " + join + " ORDERS o USING (customer) WHERE " + of("customer")
	case 1:
		return "SELECT * FROM ORDERS o " + join + " ORDER_LINE l USING (customer, order_id) WHERE " + of("customer") +
			[]string{"", " AND l.no > 1", " AND o.total > 4", " AND order_id = 1"}[r.IntN(4)]
	case 2:
		return "SELECT c.name, o.order_id, l.no FROM CUSTOMER c JOIN ORDERS o ON o.customer = c.customer " + join +
			" ORDER_LINE l ON l.customer = c.customer AND l.order_id = o.order_id WHERE " + of("c.customer")
	case 3:
		return "SELECT name, (SELECT count(*) FROM NOTE n WHERE n.customer = c.customer) FROM CUSTOMER c WHERE " +
			[]string{"", "NOT "}[r.IntN(2)] + "EXISTS (SELECT FROM ORDERS o WHERE o.customer = c.customer) AND " + of("customer")
	case 4:
		return "SELECT o.order_id, n.n FROM NOTE n, ORDERS o WHERE n.customer = o.customer AND " + of("n.customer") +
			" ORDER BY o.order_id DESC, n.n DESC LIMIT 200"
	case 5:
		return "SELECT count(*), max(n.n), min(o.total) FROM NOTE n JOIN ORDERS o USING (customer) WHERE " + of("customer")
	case 6:
		return fmt.Sprintf("SELECT c.name, o.order_id FROM CUSTOMER c %s ORDERS o USING (region) WHERE region = '%d'", join,
			r.IntN(3))
	}
	return "SELECT c.customer, sum(l.no) FROM CUSTOMER c JOIN ORDER_LINE l USING (customer) JOIN ORDERS o " +
		"USING (customer, order_id) WHERE " + of("customer") + " GROUP BY 1"
}

// TestSharedRequests wants joins of kinds of items that share requests to find what joins of ordinary tables find,
// whatever the pages are, and what the transaction has written.
func TestSharedRequests(t *testing.T) {
	seed := testseed.Of(t)
	words := []string{"CUSTOMER", "ORDERS", "ORDER_LINE", "NOTE"}
	shared := 0
	for i, pageItems := range []int{0, 1, 7} {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		w := newShop(t, pageItems)
		w.fill(t, r)
		for range 100 {
			sql := drawShopQuery(r)
			foreign, own := sql, sql
			for _, word := range words {
				name := strings.ToLower(word)
				foreign = strings.ReplaceAll(foreign, word+" ", name+" ")
				own = strings.ReplaceAll(own, word+" ", "own_"+name+" ")
			}
			inBlock := r.IntN(3) == 0
			if inBlock {
				accepted(t, w.Session, "BEGIN")
				for range 1 + r.IntN(3) {
					c := "abcde"[r.IntN(5)]
					w.both(t, "orders", fmt.Sprintf("UPDATE TABLE SET total = total + 1 WHERE customer = '%c'", c))
					w.both(t, "order_line", fmt.Sprintf("DELETE FROM TABLE WHERE customer = '%c' AND no = 1", c))
					w.both(t, "orders", fmt.Sprintf("INSERT INTO TABLE SELECT '%c', 50, 3, '1' WHERE NOT EXISTS "+
						"(SELECT FROM TABLE WHERE customer = '%[1]c' AND order_id = 50)", c))
				}
			}
			plan := strings.Join(answer(t, w.Session, "EXPLAIN "+foreign), "\n")
			if strings.Contains(plan, "Requests: those of") {
				shared++
			}
			got, want := answer(t, w.Session, foreign), answer(t, w.Session, own)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("-seed %d, pages of %d, in a block: %v: %s: %q, not %q", seed, pageItems, inBlock, foreign,
					got, want)
			}
			if inBlock {
				accepted(t, w.Session, "ROLLBACK")
			}
		}
	}
	if shared < 80 {
		t.Errorf("%d queries of 300 share requests", shared)
	}
}

// TestOneQuery counts the requests of joins.
func TestOneQuery(t *testing.T) {
	w := newShop(t, 0)
	for _, c := range "ab" {
		w.both(t, "customer", fmt.Sprintf("INSERT INTO TABLE VALUES ('%c', 'x', 'n')", c))
		w.both(t, "orders", fmt.Sprintf("INSERT INTO TABLE SELECT '%c', g, g, 'n' FROM generate_series(1, 5) g", c))
		w.both(t, "order_line", fmt.Sprintf("INSERT INTO TABLE SELECT '%c', g, 1, 'x' FROM generate_series(1, 5) g", c))
	}
	for _, c := range []struct {
		sql  string
		want int32
	}{
		{"SELECT * FROM customer c JOIN orders o USING (customer) WHERE customer = 'a'", 1},
		{"SELECT * FROM orders o JOIN customer c USING (customer) WHERE customer = 'a'", 1},
		{"SELECT * FROM customer c LEFT JOIN orders o USING (customer) WHERE customer = 'none'", 1},
		{"SELECT * FROM customer c JOIN orders o USING (customer) JOIN order_line l USING (customer, order_id) " +
			"WHERE customer = 'a'", 1},
		{"SELECT * FROM customer c JOIN orders o USING (customer) WHERE customer IN ('a', 'b')", 2},
		{"SELECT * FROM orders o JOIN order_line l USING (customer, order_id) WHERE customer = 'a' AND order_id = 3", 1},
		{"SELECT * FROM customer c JOIN orders o USING (region) WHERE region = 'n'", 1},
		{"SELECT * FROM customer c JOIN orders o USING (customer) WHERE customer = 'a' AND order_id > 3", 2},
	} {
		w.reads.Store(0)
		answer(t, w.Session, c.sql)
		if got := w.reads.Load(); got != c.want {
			t.Errorf("%s: %d requests, not %d\n%s", c.sql, got, c.want,
				strings.Join(answer(t, w.Session, "EXPLAIN (ANALYZE) "+c.sql), "\n"))
		}
	}
}
