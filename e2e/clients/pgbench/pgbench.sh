# pgbench fills its tables and runs in each protocol; the sums must agree in the end.
set -u
quiet() { grep -E "^(query mode|number of (clients|transactions per|transactions actually|failed)|pgbench: error|ERROR)|fatal|aborted" | sed 's/ (0.000%)//'; }
pgbench -i -q -s 1 2>&1 | grep -vE "^(done in|.*tuples|vacuuming|creating|dropping|generating)"
for mode in simple extended prepared; do
	pgbench -M $mode -t 20 --random-seed=1 2>&1 | quiet
	pgbench -M $mode -t 20 -S --random-seed=1 2>&1 | quiet
	pgbench -M $mode -t 20 -N --random-seed=1 2>&1 | quiet
done
# Clients that meet wait for each other.
pgbench -M prepared -c 4 -j 2 -t 10 --random-seed=1 2>&1 | quiet
psql -X -At <<'SQL'
SELECT count(*) FROM pgbench_history;
SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history),
	(SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(bbalance) FROM pgbench_branches);
SQL
