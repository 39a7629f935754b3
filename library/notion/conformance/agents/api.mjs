// Makes the requests that its task lists.
import { makeRequests } from './requests.mjs';

export default ({ task }, { binding }) => makeRequests(task.input.requests, binding.http);
