package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/jackc/pgx/v5"

	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/dynamostore/dynamolocal"
)

const (
	// dynamoRows is how many rows the one partition has that is read.
	dynamoRows = 1000
	// pointReads and rangeReads are how many reads of one row, and of all rows, a round takes the median of.
	pointReads, rangeReads = 1000, 30
)

// dynamos are the stand-ins for DynamoDB, each with how to start it and how to end it.
var dynamos = []struct {
	name  string
	start func() (endpoint string, stop func(), err error)
}{
	{"fake", startFake},
	{"DynamoDB Local", func() (string, func(), error) {
		endpoint, err := dynamolocal.Launch()
		return endpoint, func() {}, err
	}},
}

// serveFake is the whole of a process that -fake starts: it prints its endpoint, and ends with its standard input.
func serveFake() error {
	f := dynamofake.New(dynamofake.Options{})
	endpoint, err := f.Endpoint()
	if err != nil {
		return err
	}
	fmt.Println(endpoint)
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, f.Close())
}

// startFake starts the fake as a process of its own, since within the bench it would be nearer to the client than to
// zproxy.
func startFake() (endpoint string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, "-fake")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _, _ = in.Close(), cmd.Wait() }
	if endpoint, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		stop()
		return "", nil, err
	}
	return strings.TrimSpace(endpoint), stop, nil
}

// overDynamo reads the same rows through zproxy and with DynamoDB's client alone.
type overDynamo struct {
	client *dynamodb.Client
	conn   *pgx.Conn
	table  string
	key    map[string]ddb.AttributeValue // of one row
}

// measureOverDynamo times reads through zproxy beside the same reads without it.
func measureOverDynamo(ctx context.Context, b *bench) (*section, error) {
	result := &section{
		unit: microseconds, columns: [2]string{"DynamoDB's client alone", "zproxy"}, note: "zproxy adds",
		about: []string{fmt.Sprintf("Reads of one row by its key, and of all %d of its partition, of 80 bytes of text each, strongly consistent: with aws-sdk-go-v2 alone, "+
			"and by a prepared statement through zproxy, on one connection each; a round is %d or %d reads of the one after as many of the other, and counts as the median of each.",
			dynamoRows, pointReads, rangeReads)},
	}
	return result, result.onEachDynamo(func(name, endpoint string) ([]line, error) {
		return measureOver(ctx, b, name, endpoint)
	})
}

// onEachDynamo adds the lines that are measured on each of the stand-ins for DynamoDB.
func (s *section) onEachDynamo(measure func(name, endpoint string) ([]line, error)) error {
	for _, d := range dynamos {
		endpoint, stop, err := d.start()
		if errors.Is(err, exec.ErrNotFound) {
			s.about = append(s.about, fmt.Sprintf("%s was not measured: %v.", d.name, err))
			continue
		}
		if err != nil {
			return err
		}
		lines, err := measure(d.name, endpoint)
		stop()
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		s.lines = append(s.lines, lines...)
	}
	return nil
}

// dynamoFlags are those of a zproxy on a DynamoDB.
func dynamoFlags(endpoint string) []string {
	return []string{"--store", "dynamodb", "--endpoint", endpoint, "--region", "us-east-1"}
}

// connected starts a zproxy, and measures by a connection to it.
func (b *bench) connected(ctx context.Context, flags []string, measure func(*pgx.Conn) error) (err error) {
	p, dsn, err := startZproxy(ctx, b.launch, flags...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return measure(conn)
}

func measureOver(ctx context.Context, b *bench, name, endpoint string) (lines []line, err error) {
	p, dsn, err := startZproxy(ctx, b.launch, dynamoFlags(endpoint)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	o, err := openOver(ctx, endpoint, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = o.conn.Close(ctx) }()
	for _, c := range []struct {
		name          string
		reads         int
		bare, proxied func(context.Context) error
	}{
		{"one row", pointReads, o.getOne, o.selectOne},
		{fmt.Sprintf("%d rows", dynamoRows), rangeReads, o.queryAll, o.selectAll},
	} {
		l := line{name: name + ", " + c.name}
		for round := -1; round < b.rounds; round++ { // round -1 warms up
			for i, read := range []func(context.Context) error{c.bare, c.proxied} {
				took, err := medianOf(ctx, c.reads, read)
				if err != nil {
					return nil, err
				}
				if round >= 0 {
					l.sides[i] = append(l.sides[i], took)
				}
			}
		}
		l.note = fmt.Sprintf("%.0f µs", median(l.sides[1])-median(l.sides[0]))
		lines = append(lines, l)
	}
	return lines, nil
}

// medianOf calls a function n times and gives the median of what it took, in microseconds.
func medianOf(ctx context.Context, n int, f func(context.Context) error) (float64, error) {
	took := make([]float64, n)
	for i := range took {
		start := time.Now()
		if err := f(ctx); err != nil {
			return 0, err
		}
		took[i] = float64(time.Since(start).Nanoseconds()) / 1e3
	}
	return median(took), nil
}

// openOver makes the table through zproxy, and finds it with the client.
func openOver(ctx context.Context, endpoint, dsn string) (*overDynamo, error) {
	o := &overDynamo{client: dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})}
	var err error
	if o.conn, err = pgx.Connect(ctx, dsn); err != nil {
		return nil, err
	}
	if err := execAll(ctx, o.conn,
		"CREATE TABLE over_dynamo (g int, n int, note text, PRIMARY KEY (g, n))"); err != nil {
		return nil, err
	}
	var text strings.Builder
	for i := range dynamoRows {
		fmt.Fprintf(&text, "1\t%d\t%s\n", i, strings.Repeat("x", 80))
	}
	if err := copyText(ctx, o.conn, "over_dynamo", []byte(text.String()), dynamoRows); err != nil {
		return nil, err
	}
	if err := execAll(ctx, o.conn, "ANALYZE over_dynamo"); err != nil {
		return nil, err
	}
	return o, o.find(ctx)
}

// find finds the table and the key of a row.
func (o *overDynamo) find(ctx context.Context) error {
	list, err := o.client.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil {
		return err
	}
	for _, table := range list.TableNames {
		if !strings.Contains(table, "over_dynamo") {
			continue
		}
		out, err := o.client.Scan(ctx, &dynamodb.ScanInput{TableName: &table, Limit: aws.Int32(1)})
		if err != nil || len(out.Items) == 0 {
			return errors.Join(err, errors.New("the table is empty"))
		}
		o.table, o.key = table, map[string]ddb.AttributeValue{"pk": out.Items[0]["pk"], "sk": out.Items[0]["sk"]}
		return nil
	}
	return fmt.Errorf("no table over_dynamo among %v", list.TableNames)
}

func (o *overDynamo) getOne(ctx context.Context) error {
	out, err := o.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &o.table, Key: o.key,
		ConsistentRead: aws.Bool(true)})
	if err == nil && len(out.Item) == 0 {
		err = errors.New("no item")
	}
	return err
}

func (o *overDynamo) selectOne(ctx context.Context) error {
	var note string
	return o.conn.QueryRow(ctx, "SELECT note FROM over_dynamo WHERE g = $1 AND n = $2", 1, 7).Scan(&note)
}

func (o *overDynamo) queryAll(ctx context.Context) error {
	out, err := o.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &o.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: map[string]ddb.AttributeValue{":p": o.key["pk"]},
	})
	if err == nil && len(out.Items) != dynamoRows {
		err = fmt.Errorf("%d items", len(out.Items))
	}
	return err
}

func (o *overDynamo) selectAll(ctx context.Context) error {
	rows, err := o.conn.Query(ctx, "SELECT n, note FROM over_dynamo WHERE g = $1", 1)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil || n == dynamoRows {
		return err
	}
	return fmt.Errorf("%d rows", n)
}
