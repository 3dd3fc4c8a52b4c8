// pg-boss: its schema, queues with policies, jobs that are fetched, retried, cancelled and kept by schedules, and workers.
import pg from "pg";
import { PgBoss } from "pg-boss";
import { server, print, part, fails } from "../node/shared.mjs";

const pool = new pg.Pool({ ...server, max: 3 });
const rows = async (text, values) => print((await pool.query(text, values)).rows);
const boss = new PgBoss({ ...server, max: 5, supervise: false, schedule: false, migrate: true });
boss.on("error", (e) => print("error", e.message));

await part("starting", async () => {
  await boss.start();
  print(await boss.schemaVersion?.(), await boss.isInstalled?.());
  await rows("SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'pgboss' ORDER BY 1");
  await rows("SELECT proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid) FROM pg_proc WHERE pronamespace = 'pgboss'::regnamespace ORDER BY 1");
  await rows("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'pgboss' ORDER BY 1");
  await rows("SELECT t.typname, array_agg(e.enumlabel ORDER BY e.enumsortorder)::text[] FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid GROUP BY 1 ORDER BY 1");
});

await part("queues", async () => {
  for (const [name, options] of [["mail", {}], ["dead", {}], ["short", { policy: "short" }], ["single", { policy: "singleton" }], ["stately", { policy: "stately" }], ["own", { partition: true, retryLimit: 1, deadLetter: "dead" }]]) await boss.createQueue(name, options);
  await boss.updateQueue("mail", { retryLimit: 3, retryDelay: 1 });
  print((await boss.getQueues()).map((q) => [q.name, q.policy, q.retryLimit, q.partition, q.deadLetter]).sort());
});

await part("jobs", async () => {
  const ids = [];
  for (const n of [1, 2, 3]) ids.push(await boss.send("mail", { n }, { priority: n }));
  print(await boss.send("mail", { later: true }, { startAfter: new Date("2040-01-01T00:00:00Z") }) !== null);
  for (const q of ["short", "single", "stately"]) print(q, (await boss.send(q, { n: 1 })) !== null, (await boss.send(q, { n: 2 })) !== null);
  print((await boss.send("mail", {}, { singletonKey: "k", singletonSeconds: 3600 })) !== null, (await boss.send("mail", {}, { singletonKey: "k", singletonSeconds: 3600 })) !== null);
  print(await boss.insert("mail", [{ data: { batch: 1 } }, { data: { batch: 2 }, priority: 9 }]).then((r) => r?.length ?? r));
  const got = await boss.fetch("mail", { batchSize: 3, includeMetadata: true });
  got.sort((a, b) => b.priority - a.priority);
  print(got.map((j) => [j.data, j.state, j.priority, j.retryCount]));
  await boss.complete("mail", got[0].id, { ok: true });
  await boss.fail("mail", got[1].id, { why: "on purpose" });
  await boss.cancel("mail", got[2].id);
  for (const j of got) print((await boss.getJobById("mail", j.id)).state, (await boss.getJobById("mail", j.id)).output);
  await boss.resume("mail", got[2].id);
  print(await boss.deleteJob("mail", ids[0]).then((r) => r?.affected ?? r));
  await boss.send("own", { n: 1 });
  for (let n = 0; n < 2; n++) for (const j of await boss.fetch("own")) await boss.fail("own", j.id, new Error("on purpose"));
  print((await boss.fetch("dead"))?.map((j) => j.data));
  await rows("SELECT name, state::text, count(*) FROM pgboss.job GROUP BY 1, 2 ORDER BY 1, 2");
  print((await boss.getQueueStats("mail").then((q) => q)).queuedCount);
});

await part("supervising", async () => {
  await boss.supervise();
  await boss.supervise("mail");
  print((await boss.getQueues()).map((q) => [q.name, q.queuedCount, q.activeCount, q.totalCount]).sort());
  await rows("SELECT name, monitor_on IS NOT NULL AS monitored, maintain_on IS NOT NULL AS maintained FROM pgboss.queue ORDER BY name");
});

await part("workers", async () => {
  const seen = [];
  let done;
  const all = new Promise((resolve) => { done = resolve; setTimeout(resolve, 15000).unref(); });
  await boss.createQueue("work");
  for (let n = 0; n < 6; n++) await boss.send("work", { n });
  await boss.work("work", { batchSize: 2, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    for (const j of jobs) seen.push(j.data.n);
    if (seen.length === 6) done();
    return "done";
  });
  await all;
  await boss.offWork("work");
  print(seen.sort());
});

await part("schedules, topics and upkeep", async () => {
  await boss.schedule("mail", "0 4 * * *", { daily: true }, { tz: "UTC" });
  print((await boss.getSchedules()).map((s) => [s.name, s.cron, s.timezone, s.data]));
  await boss.unschedule("mail");
  await boss.subscribe("event", "mail");
  await boss.publish("event", { told: 1 });
  await boss.unsubscribe("event", "mail");
  await boss.deleteQueuedJobs("mail");
  await boss.deleteAllJobs("short");
  await boss.deleteQueue("own");
  await rows("SELECT name, state::text, count(*) FROM pgboss.job GROUP BY 1, 2 ORDER BY 1, 2");
});

await boss.stop({ graceful: false });
await pool.end();
