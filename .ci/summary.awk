# Shortens the output of go test -v: a line for each package that passed, everything but
# the passed tests of one that failed, the names of skipped tests and of those that took
# over a minute, what does not compile, and at the end the failed tests and a count.
function drop() { split("", held); lines = 0 }
function tell(   i) { for (i = 0; i < lines; i++) print held[i]; drop() }
function seconds(   s) { s = $NF; gsub(/[()s]/, "", s); return s + 0 }
/^=== / { next }
/^--- PASS: / && seconds() >= 60 { print }
/^ *--- PASS: / { passed++; next }
/^ *--- SKIP: / { skipped++; print; next }
/^ *--- FAIL: / { failures[failed++] = $0 }
/^(ok  |\?   )/ { print; drop(); next }
/^FAIL\t/ { tell(); print; broken++; next }
/^(# |[^ :]+\.go:[0-9]+:)/ { print; next }
{ held[lines++] = $0 }
END {
	tell()
	for (i = 0; i < failed; i++) print failures[i]
	printf "%d tests passed, %d failed, %d skipped; %d packages failed\n", passed, failed, skipped, broken
}
