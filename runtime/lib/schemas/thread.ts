/**
 * The thread in which untrusted schemas run, beside the event loop: started with the first job,
 * reused, and killed if a job takes too much time or memory. The next job then gets a new thread.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../../proto/errors.ts'
import { MiB } from '../../../proto/units.ts'
import type { ValidationJob, ValidationResult } from './validate.ts'
import { TenantQueue, type TenantQueueBounds } from './tenant-queue.ts'
import { libLimits } from '../limits.ts'

export interface ThreadBounds extends TenantQueueBounds {
  readonly jobMs: number
  readonly heapBytes: number
}

export type ThreadResult =
  ValidationResult | { readonly kind: 'given_up'; readonly over: 'time' | 'memory' }

interface Waiting {
  readonly job: ValidationJob
  resolve(outcome: ThreadResult): void
  reject(error: unknown): void
}

const usual: ThreadBounds = {
  jobMs: libLimits.schemaMs,
  heapBytes: libLimits.schemaHeapBytes,
  jobs: libLimits.schemaJobs,
  jobsPerTenant: libLimits.schemaJobsPerTenant,
}

const program = new URL('./thread-program.js', import.meta.url)

export class SchemaThread {
  readonly #bounds: ThreadBounds
  readonly #line: TenantQueue<Waiting>
  #worker: Worker | undefined
  /** Aborts the current wait. */
  #waiting: AbortController | undefined
  #isAtWork = false
  #isClosed = false

  constructor(bounds: Partial<ThreadBounds>) {
    this.#bounds = { ...usual, ...bounds }
    this.#line = new TenantQueue(this.#bounds)
  }

  /** Answered in turn; refused at once if the queue is full. */
  ask(tenant: string, job: ValidationJob): Promise<ThreadResult> {
    return new Promise((resolve, reject) => {
      if (!this.#line.add(tenant, { job, resolve, reject })) reject(tooManyError())
      else if (!this.#isAtWork) void this.#work()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting?.abort()
    await this.#worker?.terminate()
  }

  async #work(): Promise<void> {
    this.#isAtWork = true
    for (let next; (next = this.#line.next()) !== undefined;) {
      await this.#outcome(next.job).then(next.resolve, next.reject)
    }
    this.#isAtWork = false
  }

  async #outcome(job: ValidationJob): Promise<ThreadResult> {
    if (this.#isClosed) throw shuttingDownError()
    const worker = this.#worker ?? (await this.#start())
    // The thread keeps the process alive only while it works.
    worker.ref()
    worker.postMessage(job)
    try {
      return await this.#nextMessage<ValidationResult>(worker, this.#bounds.jobMs)
    } catch (error) {
      await this.#end(worker)
      if (this.#isClosed) throw shuttingDownError()
      const over = exceededBound(error)
      if (over === undefined) throw error
      return { kind: 'given_up', over }
    } finally {
      worker.unref()
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(program, {
      name: 'schemas',
      // Code in the thread needs neither our secrets nor the flags of this process.
      env: {},
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: this.#bounds.heapBytes / MiB,
        maxYoungGenerationSizeMb: libLimits.schemaYoungHeapBytes / MiB,
      },
    })
    this.#worker = worker
    // A waiting job sees the error too; between jobs, only this handler does.
    worker.on('error', () => this.#forget(worker))
    try {
      await this.#nextMessage(worker, libLimits.schemaStartMs)
      return worker
    } catch (error) {
      await this.#end(worker)
      if (this.#isClosed) throw shuttingDownError()
      throw exceededBound(error) === 'time' ? notStartedError(error) : error
    }
  }

  /** The thread's next message; an AbortError after the time limit, or if the wait is cancelled. */
  async #nextMessage<T>(worker: Worker, withinMs: number): Promise<T> {
    const waiting = new AbortController()
    this.#waiting = waiting
    // This thread may be late itself: messages that have arrived meanwhile are read before the
    // timeout applies.
    const timer = setTimeout(() => setImmediate(() => waiting.abort()), withinMs)
    try {
      const [said] = (await once(worker, 'message', { signal: waiting.signal })) as [T]
      return said
    } finally {
      clearTimeout(timer)
    }
  }

  /** Waits until its memory is freed before another thread starts. */
  async #end(worker: Worker): Promise<void> {
    this.#forget(worker)
    await worker.terminate()
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
  }
}

function exceededBound(error: unknown): 'time' | 'memory' | undefined {
  const { name, code } = error as NodeJS.ErrnoException
  if (name === 'AbortError') return 'time'
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : undefined
}

const tooManyError = () =>
  new ServiceError('rate_limited', 'Too many output schemas wait for their check; try again.', {
    field: 'output_schema',
  })

const notStartedError = (cause: unknown) =>
  new ServiceError('unavailable', 'output_schema could not be checked; try again.', {}, cause)

const shuttingDownError = () =>
  new ServiceError('draining', 'The service is shutting down; try again.')
