/** Tasks: the list, one task with its steps, and a form to run one. */
import type { ConsoleSection } from '../../page.ts'
import { createTask, newTaskPage } from './create/new-task.tsx'
import { feedTasks, showTasks } from './list/task-list.tsx'
import { seesTasks } from './list/task-row.tsx'
import {
  answerTask,
  cancelTask,
  pauseTask,
  readStepPicture,
  readTaskTrace,
  resumeTask,
} from './one/task-acts.ts'
import { feedTask } from './one/task-feed.ts'
import { showTask } from './one/task-page.tsx'

const path = '/tasks/{id}'
const scope = seesTasks

export const tasksSection: ConsoleSection = {
  nav: [{ label: 'Tasks', path: '/tasks', scope }],
  forms: [{ label: 'New task', path: '/tasks/new', scope: 'tasks' }],
  pages: [
    { path: '/tasks', scope, show: showTasks },
    { path: '/tasks/feed', scope, show: feedTasks },
    { path: '/tasks/new', scope: 'tasks', show: newTaskPage, submit: createTask },
    { path, scope, show: showTask },
    { path: `${path}/feed`, scope, show: feedTask },
    { path: `${path}/steps/{n}/picture`, scope: 'tasks', show: readStepPicture },
    { path: `${path}/trace`, scope: 'tasks', show: readTaskTrace },
    { path: `${path}/answer`, scope: 'tasks', submit: answerTask, again: showTask },
    { path: `${path}/cancel`, scope: 'tasks', submit: cancelTask, again: showTask },
    { path: `${path}/pause`, scope: 'tasks', submit: pauseTask, again: showTask },
    { path: `${path}/resume`, scope: 'tasks', submit: resumeTask, again: showTask },
  ],
}
