// Addresses of all that is neither an experiment nor a trial: each page is a chunk of its own.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readModelsSearch } from '../pages/models/search';
import { readTasksSearch } from '../pages/tasks/search';
import { readProjectSearch } from '../pages/workspaces/search';
import { root } from './root';

const getParentRoute = () => root;
const tasks = createRoute({ getParentRoute, path: '/tasks', validateSearch: readTasksSearch, component: lazyRouteComponent(() => import('../pages/tasks/Tasks'), 'Tasks') });
const taskLog = createRoute({ getParentRoute, path: '/tasks/$id/logs', component: lazyRouteComponent(() => import('../pages/tasks/TaskLog'), 'TaskLog') });
const queue = createRoute({ getParentRoute, path: '/queue', component: lazyRouteComponent(() => import('../pages/queue/Queue'), 'Queue') });
const cluster = createRoute({ getParentRoute, path: '/cluster', component: lazyRouteComponent(() => import('../pages/cluster/Cluster'), 'Cluster') });
const workspaces = createRoute({ getParentRoute, path: '/workspaces', component: lazyRouteComponent(() => import('../pages/workspaces/Workspaces'), 'Workspaces') });
const workspace = createRoute({ getParentRoute, path: '/workspaces/$id', component: lazyRouteComponent(() => import('../pages/workspaces/WorkspacePage'), 'WorkspacePage') });
const project = createRoute({ getParentRoute, path: '/projects/$id', validateSearch: readProjectSearch, component: lazyRouteComponent(() => import('../pages/workspaces/ProjectPage'), 'ProjectPage') });
const models = createRoute({ getParentRoute, path: '/models', validateSearch: readModelsSearch, component: lazyRouteComponent(() => import('../pages/models/Models'), 'Models') });
const model = createRoute({ getParentRoute, path: '/models/$name', component: lazyRouteComponent(() => import('../pages/models/ModelPage'), 'ModelPage') });
const templates = createRoute({ getParentRoute, path: '/templates', component: lazyRouteComponent(() => import('../pages/templates/Templates'), 'Templates') });
const admin = createRoute({
  getParentRoute, path: '/admin', beforeLoad: () => { throw redirect({ to: '/admin/$part', params: { part: 'users' }, replace: true }); },
});
const adminPart = createRoute({ getParentRoute, path: '/admin/$part', component: lazyRouteComponent(() => import('../pages/admin/Admin'), 'Admin') });
const settings = createRoute({ getParentRoute, path: '/settings', component: lazyRouteComponent(() => import('../pages/settings/Settings'), 'Settings') });

export const sections = [tasks, taskLog, queue, cluster, workspaces, workspace, project, models, model, templates, admin, adminPart, settings] as const;
