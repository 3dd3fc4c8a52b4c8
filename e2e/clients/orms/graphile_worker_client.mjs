// graphile-worker: its migrations, jobs with keys, priorities, queues and retries, that LISTEN tells a runner of, and cron items.
import pg from "pg";
import { Logger, makeWorkerUtils, run, runMigrations, runOnce, parseCronItems } from "graphile-worker";
import { server, print, part, fails } from "../node/shared.mjs";

const pgPool = new pg.Pool({ ...server, max: 8 });
pgPool.on("error", () => {});
const logger = new Logger(() => () => {});
const options = { pgPool, logger, noHandleSignals: true, pollInterval: 60000 };
const rows = async (text, values) => print((await pgPool.query(text, values)).rows);

await part("migrations", async () => {
  await runMigrations(options);
  await runMigrations(options);
  await rows("SELECT id, breaking FROM graphile_worker.migrations ORDER BY id");
  await rows("SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'graphile_worker' ORDER BY 1");
  await rows("SELECT proname, prokind, provolatile, proisstrict, prosecdef FROM pg_proc WHERE pronamespace = 'graphile_worker'::regnamespace ORDER BY 1");
  await rows("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'graphile_worker' ORDER BY 1");
  await rows("SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1");
});

let utils;
await part("adding jobs", async () => {
  utils = await makeWorkerUtils(options);
  const job = await utils.addJob("hello", { name: "ann" }, { priority: 5, maxAttempts: 3, flags: ["dull"] });
  print(job.id, job.payload, job.priority, job.max_attempts, job.flags);
  for (const n of [1, 2]) await utils.addJob("hello", { name: "key " + n }, { jobKey: "one", jobKeyMode: "replace" });
  await utils.addJob("hello", { name: "kept" }, { jobKey: "one", jobKeyMode: "preserve_run_at" });
  for (const n of [1, 2, 3]) await utils.addJob("queued", { n }, { queueName: "line" });
  print((await utils.addJobs([{ identifier: "hello", payload: { name: "batch 1" } }, { identifier: "hello", payload: { name: "batch 2" }, jobKey: "b" }])).length);
  await pgPool.query("SELECT graphile_worker.add_job('hello', json_build_object('name', 'sql'), run_at := now() - interval '1 day')");
  await fails(() => pgPool.query("SELECT graphile_worker.add_job($1, '{}')", ["x".repeat(200)]));
  await fails(() => pgPool.query("SELECT graphile_worker.add_job('a', '{}', job_key := 'k', job_key_mode := 'bad')"));
  await rows("SELECT task_identifier, queue_name, priority, attempts, max_attempts, key, revision FROM graphile_worker.jobs ORDER BY id");
});

await part("running what waits", async () => {
  const done = [];
  await runOnce({ ...options, concurrency: 1, taskList: {
    hello: (payload, helpers) => { done.push(["hello", payload.name, helpers.job.attempts]); },
    queued: async (payload, helpers) => { done.push(["queued", payload.n, (await helpers.query("SELECT 1 AS one")).rows[0].one]); if (payload.n === 2) throw new Error("on purpose"); },
  } });
  print(done.sort()); // a queue may be free again only after other jobs
  // The last jobs are noted as done some time after the runner has ended.
  for (let n = 0; n < 50 && (await pgPool.query("SELECT FROM graphile_worker._private_jobs WHERE last_error IS NULL")).rowCount > 0; n++) await new Promise((resolve) => setTimeout(resolve, 50));
  await rows("SELECT task_identifier, attempts, last_error, run_at > now() AS later FROM graphile_worker.jobs ORDER BY id");
  await rows("SELECT queue_name, job_count, locked_at IS NULL AS free FROM graphile_worker._private_job_queues AS q(id, queue_name, locked_at, locked_by, is_available) CROSS JOIN LATERAL (SELECT count(*) AS job_count FROM graphile_worker._private_jobs j WHERE j.job_queue_id = q.id) c ORDER BY 1");
});

await part("listening", async () => {
  const seen = [];
  let wake;
  const runner = await run({ ...options, concurrency: 3, taskList: {
    hello: async (payload, helpers) => {
      seen.push(payload.name);
      if (payload.more) await helpers.addJob("hello", { name: payload.more });
      if (seen.length === 12) wake();
    },
  }, parsedCronItems: parseCronItems([{ task: "hello", match: "0 4 * * *", identifier: "daily", payload: { name: "cron" } }]) });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const all = new Promise((resolve) => { wake = resolve; setTimeout(resolve, 20000).unref(); });
  for (let n = 0; n < 6; n++) await utils.addJob("hello", { name: "live " + n, more: "more " + n });
  await all;
  await runner.stop();
  print(seen.sort());
  await rows("SELECT identifier, last_execution FROM graphile_worker._private_known_crontabs");
});

await part("looking after jobs", async () => {
  const ids = [];
  for (let n = 0; n < 4; n++) ids.push((await utils.addJob("nothing", { n })).id);
  print((await utils.completeJobs([ids[0]])).length, (await utils.permanentlyFailJobs([ids[1]], "no more")).map((j) => [j.attempts, j.last_error]), (await utils.rescheduleJobs([ids[2], ids[3]], { runAt: new Date("2030-01-01T00:00:00Z"), priority: 2, attempts: 1, maxAttempts: 7 })).map((j) => [j.run_at, j.priority, j.attempts, j.max_attempts]));
  await pgPool.query("SELECT graphile_worker.remove_job('one')");
  await utils.cleanup({ tasks: ["GC_TASK_IDENTIFIERS", "GC_JOB_QUEUES", "DELETE_PERMAFAILED_JOBS"] });
  await utils.forceUnlockWorkers(["worker1"]);
  await rows("SELECT task_identifier, attempts, max_attempts FROM graphile_worker.jobs ORDER BY id");
  await rows("SELECT identifier FROM graphile_worker._private_tasks ORDER BY 1");
  await utils.release();
});

await pgPool.end();
