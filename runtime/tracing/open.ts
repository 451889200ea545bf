/** Enables tracing if an endpoint is set. */
import { setTracer } from './tracer.ts'
import type { TracedProcess } from './open-telemetry.ts'

/** Resolves with the function that flushes the spans and stops tracing. */
export async function openTracing(traced: TracedProcess): Promise<() => Promise<void>> {
  if (traced.endpoint === '') return async () => undefined
  const { openTracer } = await import('./open-telemetry.ts')
  const tracer = openTracer(traced)
  setTracer(tracer)
  return async () => {
    setTracer(undefined)
    await tracer.close()
  }
}
