/**
 * An error upon which a run ends where it is thrown: the run is another process's, or what is done can no longer be recorded. Whatever else is
 * thrown within a task is a defect, and that task's alone.
 */
export class EndsRun extends Error {}
