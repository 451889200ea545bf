/** The program of the thread: runs one job after another. */
import { parentPort } from 'node:worker_threads'
import { validateResults, type ValidationJob } from './validate.ts'

const port = parentPort!
port.on('message', (job: ValidationJob) => port.postMessage(validateResults(job)))
// Sent when everything is loaded: the time limit of a job starts after that.
port.postMessage('ready')
