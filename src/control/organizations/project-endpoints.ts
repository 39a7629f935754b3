// Projects and the grants in them.
import { ServiceError } from '../../contract/errors.js';
import type { ProjectGrant } from '../../contract/hosted/organization.js';
import { newId } from '../../contract/ids.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import {
  credentialTable,
  grantOf,
  grantTable,
  memberId,
  memberTable,
  projectTable,
  requireProject,
} from '../catalog/organization-records.js';
import { takeQuota } from '../catalog/quotas.js';
import type { View } from '../catalog/tables.js';
import { requireConfirmation, requireVersion } from '../catalog/versions.js';
import { requireContainedProject } from '../core/containment.js';
import type { ControlServices } from '../core/services.js';

type ProjectIds = 'createProject' | 'listProjects' | 'getProject' | 'updateProject' | 'createGrant' | 'listGrants' | 'deleteGrant';

export function projectEndpoints(services: ControlServices): EndpointSet<ProjectIds> {
  return { ...ofProjects(services), ...ofGrants(services) };
}

function ofProjects(services: ControlServices): EndpointSet<'createProject' | 'listProjects' | 'getProject' | 'updateProject'> {
  return {
    createProject: {
      kind: 'change',
      apply: (tx, { body, caller }) => {
        const { organizationId } = caller;
        const nowMs = services.nowMs();
        requireContainedProject(services.settings, tx);
        takeQuota(tx, services, { organizationId, name: 'projectsMax' });
        const project = {
          schemaVersion: 1 as const,
          organizationId,
          projectId: newId('prj'),
          name: body.name,
          version: 1,
          createdBy: caller.userId ?? caller.credentialId,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        };
        tx.put(projectTable, project);
        return { reply: { project }, resource: { type: 'project', id: project.projectId } };
      },
    },
    listProjects: {
      kind: 'read',
      run: (view, { query, caller }) =>
        listPage(services, view, {
          table: projectTable,
          index: 'byOrganization',
          prefix: [caller.organizationId],
          query,
          // Who sees only some must not continue with another's cursor: it would tell that there is something in between.
          filters: caller.role === null ? { for: caller.userId ?? caller.credentialId } : {},
          where: ({ projectId }) => caller.authoritiesIn(projectId).has('project.read'),
        }),
    },
    getProject: {
      kind: 'read',
      run: (view, { path, caller }) => ({ project: requireProject(view, { ...path, organizationId: caller.organizationId }) }),
    },
    updateProject: {
      kind: 'change',
      apply: (tx, { path, body, caller }) => {
        const old = requireProject(tx, { ...path, organizationId: caller.organizationId });
        requireVersion(old, body);
        const project = { ...old, name: body.name, version: old.version + 1, updatedAtMs: services.nowMs() };
        tx.put(projectTable, project);
        return { reply: { project }, resource: { type: 'project', id: project.projectId } };
      },
    },
  };
}

function ofGrants(services: ControlServices): EndpointSet<'createGrant' | 'listGrants' | 'deleteGrant'> {
  return {
    createGrant: {
      kind: 'change',
      apply: (tx, { path: { projectId }, body: { subject, role }, caller }) => {
        requireSubject(tx, caller.organizationId, subject);
        const present = grantOf(tx, projectId, subject);
        if (present !== undefined) {
          const { grantId } = present;
          throw new ServiceError('control.STATE_CONFLICT', {
            message: 'The subject has a grant here already.',
            details: { grantId, role: present.role },
          });
        }
        const createdBy = caller.userId ?? caller.credentialId;
        const grant: ProjectGrant = {
          schemaVersion: 1,
          grantId: newId('grant'),
          projectId,
          subject,
          role,
          createdBy,
          createdAtMs: services.nowMs(),
        };
        tx.put(grantTable, grant);
        return { reply: { grant }, resource: { type: 'grant', id: grant.grantId } };
      },
    },
    listGrants: {
      kind: 'read',
      run: (view, { path, query }) => listPage(services, view, { table: grantTable, index: 'byProject', prefix: [path.projectId], query }),
    },
    deleteGrant: {
      kind: 'change',
      apply: (tx, { path, body }) => {
        const grant = tx.get(grantTable, body.grantId);
        if (grant === undefined || grant.projectId !== path.projectId)
          throw new ServiceError('control.NOT_FOUND', { message: 'There is no such grant.' });
        requireConfirmation(grant.grantId, body);
        tx.remove(grantTable, grant.grantId);
        return { reply: { grant }, resource: { type: 'grant', id: grant.grantId } };
      },
    },
  };
}

function requireSubject(view: View, organizationId: string, { kind, id }: ProjectGrant['subject']): void {
  const isOurs =
    kind === 'credential'
      ? view.get(credentialTable, id)?.credential.organizationId === organizationId
      : view.get(memberTable, memberId({ organizationId, userId: id })) !== undefined;
  if (!isOurs) throw new ServiceError('control.NOT_FOUND', { message: `There is no such ${kind}.` });
}
