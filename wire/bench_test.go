package wire

import (
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// BenchmarkPrepared is the round trip of a prepared statement with one parameter, over
// the loopback interface.
func BenchmarkPrepared(b *testing.B) {
	nc, err := net.Dial("tcp", serve(b, quiet()))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = nc.Close() }()
	prepare := packet(version30, asUser) + message(msgParse, "s\x00SELECT $1::int4\x00\x00\x00") + message(msgSync, "")
	if _, err := io.WriteString(nc, prepare); err != nil {
		b.Fatal(err)
	}
	frontend := pgproto3.NewFrontend(nc, nc)
	readTo(b, frontend, "ParseComplete")
	readTo(b, frontend, "ReadyForQuery")

	bind := "\x00s\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07\x00\x01\x00\x01"
	request := []byte(message(msgBind, bind) + message(msgExecute, "\x00\x00\x00\x00\x00") + message(msgSync, ""))
	want := message('2', "") + message('D', "\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07") +
		message('C', "SELECT 1\x00") + message('Z', "I")
	got := make([]byte, len(want))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := nc.Write(request); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(nc, got); err != nil {
			b.Fatal(err)
		}
	}
	if string(got) != want {
		b.Errorf("got %q, want %q", got, want)
	}
}

func readTo(b *testing.B, frontend *pgproto3.Frontend, name string) {
	b.Helper()
	for {
		m, err := frontend.Receive()
		if err != nil {
			b.Fatal(err)
		}
		if typeName(m) == name {
			return
		}
	}
}

// BenchmarkDataRow encodes one row of four values.
func BenchmarkDataRow(b *testing.B) {
	p, row := testPortal()
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = appendDataRow(buf[:0], row, p, nil)
	}
}
