/** What runs in the thread: one job after another. */
import { parentPort } from 'node:worker_threads'
import { judge, type Job } from './judge.ts'

const port = parentPort!
port.on('message', (job: Job) => port.postMessage(judge(job)))
// Said when everything is loaded: the time of a job begins after that.
port.postMessage('ready')
