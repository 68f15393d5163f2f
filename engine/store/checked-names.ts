import { checkBlobName, checkName, isIntact, type RunStore } from './run-store.js';

/** The same store, which refuses an invalid name before anything is made of it. Its methods then throw InvalidName. */
export const withCheckedNames = (store: RunStore): RunStore => ({
  list: () => store.list(),
  async read(run, after) {
    checkName(run);
    return store.read(run, after);
  },
  async *follow(run, after, signal) {
    checkName(run);
    yield* store.follow(run, after, signal);
  },
  async append(run, last, lines) {
    checkName(run);
    return store.append(run, last, lines);
  },
  async listBlobs(run) {
    checkName(run);
    return store.listBlobs(run);
  },
  async putBlob(run, name, bytes) {
    checkName(run);
    checkBlobName(name);
    if (!isIntact(name, bytes)) throw new RangeError(`${name}: the name is not the hash of these bytes`);
    return store.putBlob(run, name, bytes);
  },
  async getBlob(run, name) {
    checkName(run);
    checkBlobName(name);
    return store.getBlob(run, name);
  },
  async lock(name, holder) {
    checkName(name);
    return store.lock(name, holder);
  },
  async takeOver(name, holder, seen) {
    checkName(name);
    return store.takeOver(name, holder, seen);
  },
  async holderOf(name) {
    checkName(name);
    return store.holderOf(name);
  },
  async release(name, holder) {
    checkName(name);
    return store.release(name, holder);
  },
  approvals: {
    list: () => store.approvals.list(),
    async read(plan, after) {
      checkName(plan);
      return store.approvals.read(plan, after);
    },
    async append(plan, last, lines) {
      checkName(plan);
      return store.approvals.append(plan, last, lines);
    },
  },
  close: () => store.close(),
});
