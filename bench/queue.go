package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	queueWorkers = 8
	queueJobs    = 3_000
	queueTime    = time.Minute // ends a queue that does not become empty
	queueTake    = "SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
	queueFinish  = "UPDATE jobs SET state = 'done', worker = $2 WHERE id = $1"
)

// measureQueue has workers take jobs from a table until none is left, and wants each job to be done once.
func measureQueue(ctx context.Context, b *bench) (*section, error) {
	var conns [2][]*pgx.Conn
	for i, s := range b.sides {
		var err error
		if conns[i], err = connectAll(ctx, s, queueWorkers); err != nil {
			return nil, err
		}
		defer closeAll(conns[i])
	}
	jobs := b.scaled(queueJobs)
	out := &section{unit: unit{"jobs/s", true}, note: "failed", about: []string{
		fmt.Sprintf("%d workers empty a queue of %s jobs, each with `%s`, `%s` and COMMIT, prepared, with an index on (state, id). "+
			"A worker ends when it finds no job. Each job was done once.", queueWorkers, whole(jobs), queueTake, queueFinish),
		synced}}
	l, err := b.contest("take and finish a job", func(side, _ int) (turnout, error) {
		q := &queue{conns: conns[side], jobs: jobs, done: map[int]bool{}}
		return q.empty(ctx, b.sides[side])
	})
	out.lines = append(out.lines, l)
	return out, err
}

// queue is a table of jobs that is being emptied.
type queue struct {
	conns []*pgx.Conn
	jobs  int
	mu    sync.Mutex
	done  map[int]bool
	twice []int
}

// empty fills the table anew, which is not timed, and has it emptied.
func (q *queue) empty(ctx context.Context, s *side) (turnout, error) {
	fill := fmt.Sprintf("INSERT INTO jobs SELECT i, 'new', NULL FROM generate_series(1, %d) AS i", q.jobs)
	if err := execAll(ctx, q.conns[0], append([]string{"DROP TABLE IF EXISTS jobs",
		"CREATE TABLE jobs (id int PRIMARY KEY, state text, worker int)",
		"CREATE INDEX jobs_state ON jobs (state, id)", fill}, s.atRest("jobs")...)...); err != nil {
		return turnout{}, err
	}
	t, err := transact(ctx, len(q.conns), queueTime, q.work)
	if err == nil && (len(q.twice) > 0 || len(q.done) != q.jobs) {
		err = fmt.Errorf("of %d jobs %d were done, %d of them twice", q.jobs, len(q.done), len(q.twice))
	}
	return t, err
}

// work does a job, or says that there is none.
func (q *queue) work(ctx context.Context, worker int) (more bool, err error) {
	conn, id := q.conns[worker], 0
	err = inBlock(ctx, conn, func() error {
		err := conn.QueryRow(ctx, queueTake).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = conn.Exec(ctx, queueFinish, id, worker)
		}
		return err
	})
	if err != nil || id == 0 {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done[id] {
		q.twice = append(q.twice, id)
	}
	q.done[id] = true
	return true, nil
}
