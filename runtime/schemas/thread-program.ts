/** The program of the thread: runs one job after another. */
import { parentPort } from 'node:worker_threads'
import { judge, type Job } from './judge.ts'

const port = parentPort!
port.on('message', (job: Job) => port.postMessage(judge(job)))
// Sent when everything is loaded: the time limit of a job starts after that.
port.postMessage('ready')
